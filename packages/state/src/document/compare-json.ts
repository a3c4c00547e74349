import type { Json, JsonArray, JsonObject, JsonTypeName } from "./json.ts";
import { typeName } from "./json.ts";
import { MAX_DEPTH } from "./path.ts";
import { invalidOperation } from "./state-error.ts";

const RANK: Readonly<Record<JsonTypeName, number>> = {
  nothing: 0,
  null: 1,
  boolean: 2,
  number: 3,
  string: 4,
  array: 5,
  object: 6,
};

/** A total order over JSON values in which only deeply equal values compare as 0. Strings go by code unit. */
export function compareJson(left: Json, right: Json, level: number = 0): number {
  if (left === right) return 0;
  if (level > MAX_DEPTH) throw invalidOperation(`values nest deeper than ${MAX_DEPTH} levels`);
  const type = typeName(left);
  const byType = RANK[type] - RANK[typeName(right)];
  if (byType !== 0) return byType;
  if (type === "array") return compareArrays(left as JsonArray, right as JsonArray, level + 1);
  if (type === "object") return compareObjects(left as JsonObject, right as JsonObject, level + 1);
  // Two scalars of the same type that are not identical.
  return (left as string) < (right as string) ? -1 : 1;
}

function compareArrays(left: JsonArray, right: JsonArray, level: number): number {
  for (const [index, item] of left.entries()) {
    if (index >= right.length) return 1;
    const order = compareJson(item, right[index] as Json, level);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareObjects(left: JsonObject, right: JsonObject, level: number): number {
  const keys = Object.keys(left).toSorted();
  const byKeys = compareArrays(keys, Object.keys(right).toSorted(), level);
  if (byKeys !== 0) return byKeys;
  for (const key of keys) {
    const order = compareJson(left[key] as Json, right[key] as Json, level);
    if (order !== 0) return order;
  }
  return 0;
}
