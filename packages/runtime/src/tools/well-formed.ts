import type { Json } from "@reprise/state";

/** The same value with every lone surrogate replaced, so that any store and any wire can carry it. Good values keep identity. */
export function wellFormedJson<Value extends Json>(value: Value): Value {
  // Each branch returns a value of the type it was given, which the compiler cannot see.
  if (typeof value === "string") return (value.isWellFormed() ? value : value.toWellFormed()) as Value;
  if (typeof value !== "object" || value === null) return value;
  return (
    Array.isArray(value) ? wellFormedArray(value) : wellFormedObject(value as { readonly [key: string]: Json })
  ) as Value;
}

function wellFormedArray(array: readonly Json[]): readonly Json[] {
  const formed = array.map((item) => wellFormedJson(item));
  return formed.every((item, index) => item === array[index]) ? array : formed;
}

function wellFormedObject(object: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  const entries = Object.entries(object);
  const formed = entries.map(([key, item]): [string, Json] => [key.toWellFormed(), wellFormedJson(item)]);
  const isSame = formed.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index]?.[1]);
  return isSame ? object : Object.fromEntries(formed);
}
