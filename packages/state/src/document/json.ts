/** A JSON value. Documents are plain data: no proxies, no classes, nothing a reader must unwrap. */
export type Json = null | boolean | number | string | JsonArray | JsonObject;

export type JsonArray = readonly Json[];

export interface JsonObject {
  readonly [key: string]: Json;
}

/** How a JSON type is called in messages. */
export type JsonTypeName = "null" | "boolean" | "number" | "string" | "array" | "object" | "nothing";

export function isArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names the type of a value found in a document; a missing one is `nothing`. */
export function typeName(value: Json | undefined): JsonTypeName {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  // JSON holds no functions, symbols or bigints, so what is left of `typeof` is one of our names.
  return typeof value as JsonTypeName;
}

/** The value of an own key. Inherited names such as `toString` are not part of a document. */
export function ownValue(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Writes an own key; `__proto__` becomes an ordinary key instead of changing the prototype. */
export function putOwn<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
