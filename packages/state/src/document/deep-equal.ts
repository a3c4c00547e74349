import { isArray, type Json, type JsonArray, type JsonObject } from "./json.ts";
import { MAX_DEPTH } from "./path.ts";
import { invalidOperation } from "./state-error.ts";

/** Whether two JSON values are equal. Key order does not count; identical references are not entered. */
export function deepEqual(left: Json, right: Json, level: number = 0): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (level > MAX_DEPTH) throw invalidOperation(`values nest deeper than ${MAX_DEPTH} levels`);
  if (isArray(left)) return isArray(right) && equalArrays(left, right, level + 1);
  return !isArray(right) && equalObjects(left, right, level + 1);
}

function equalArrays(left: JsonArray, right: JsonArray, level: number): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!deepEqual(left[index] as Json, right[index] as Json, level)) return false;
  }
  return true;
}

function equalObjects(left: JsonObject, right: JsonObject, level: number): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key] as Json, right[key] as Json, level));
}
