import type { Json } from "../../src/index.ts";

/**
 * One text per JSON value: keys are sorted, so that equal values, and only those, have the same text. What is not JSON has
 * a text too, because the oracle also looks at operations it is about to refuse.
 */
export function canonicalText(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (isList(value)) return `[${value.map(canonicalText).join(",")}]`;
  const fields = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}:${canonicalText(child)}`);
  return `{${fields.toSorted().join(",")}}`;
}

export function isEqual(left: Json, right: Json): boolean {
  return canonicalText(left) === canonicalText(right);
}

/** A copy that shares nothing with its original. Not by `JSON.parse`, which in V8 confuses the keys `\\` and `\n`. */
export function cloneJson(value: Json): Json {
  if (isList(value)) return value.map(cloneJson);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, cloneJson(child)]));
  return value;
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isRecord(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
