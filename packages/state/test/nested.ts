import type { Json } from "../src/index.ts";

/** A value inside so many arrays, or objects with one key. Built without recursion, so that any depth will do. */
export function nested(levels: number, innermost: Json = 1, key?: string): Json {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = key === undefined ? [value] : { [key]: value };
  return value;
}
