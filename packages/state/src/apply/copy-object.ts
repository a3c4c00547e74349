import { type Json, type JsonObject, putOwn } from "../document/json.ts";

// Three ways to copy, because each is many times slower than the others outside its range (V8; figures in bench/state):
// `Object.assign` beats spread at a call site that sees many shapes, but falls to a hash table above 18 keys; spread
// is steady until an object is too wide for a hidden class; from there a hash table built as one is the fastest.
const NARROW = 16;
const WIDE = 120;

/** A shallow copy. Own keys stay own keys, `__proto__` among them. */
export function copyObject(object: JsonObject): Record<string, Json> {
  const keys = Object.keys(object);
  // `assign` would hand an own `__proto__` to the setter; spread defines it.
  if (keys.length <= NARROW && !keys.includes("__proto__")) return Object.assign({}, object);
  return keys.length <= WIDE ? { ...object } : copyKeys(object, keys);
}

/** A shallow copy with the keys of another object over it. */
export function copyMerged(object: JsonObject, over: JsonObject): Record<string, Json> {
  const keys = Object.keys(over);
  const isNarrow = Object.keys(object).length + keys.length <= NARROW;
  if (isNarrow && !Object.hasOwn(object, "__proto__") && !keys.includes("__proto__"))
    return Object.assign({}, object, over);
  const merged = copyObject(object);
  for (const key of keys) putOwn(merged, key, over[key] as Json);
  return merged;
}

/** A shallow copy without one key. Built up rather than deleted from: `delete` would slow down every later read. */
export function copyWithout(object: JsonObject, key: string): Record<string, Json> {
  const keys = Object.keys(object);
  if (keys.length > WIDE)
    return copyKeys(
      object,
      keys.filter((other) => other !== key),
    );
  const { [key]: _, ...rest } = object;
  return rest;
}

function copyKeys(object: JsonObject, keys: readonly string[]): Record<string, Json> {
  // Without a prototype the object starts as a hash table and has no `__proto__` setter; it becomes plain at the end.
  const copy: Record<string, Json> = Object.create(null);
  for (const key of keys) copy[key] = object[key] as Json;
  return Object.setPrototypeOf(copy, Object.prototype);
}
