import type { Json } from "../../src/index.ts";
import { isList, isRecord } from "./equality.ts";

/** Null, booleans, numbers, strings by code unit, arrays item by item, objects by their sorted keys and then values. */
export function compareSlowly(left: Json, right: Json): number {
  const byRank = rankOf(left) - rankOf(right);
  if (byRank !== 0) return byRank;
  if (isList(left) && isList(right)) return compareLists(left, right);
  if (isRecord(left) && isRecord(right)) {
    const byKeys = compareLists(Object.keys(left).toSorted(), Object.keys(right).toSorted());
    return byKeys === 0 ? compareLists(valuesByKey(left), valuesByKey(right)) : byKeys;
  }
  if (left === right || rankOf(left) === 0) return 0;
  return (left ?? 0) < (right ?? 0) ? -1 : 1;
}

function compareLists(left: readonly Json[], right: readonly Json[]): number {
  const [first, ...others] = left;
  const [rightFirst, ...rightOthers] = right;
  if (first === undefined || rightFirst === undefined) return left.length - right.length;
  return compareSlowly(first, rightFirst) || compareLists(others, rightOthers);
}

function valuesByKey(object: Readonly<Record<string, Json>>): readonly Json[] {
  return Object.entries(object)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, value]) => value);
}

function rankOf(value: Json): number {
  if (value === null) return 0;
  if (isList(value)) return 4;
  return ["boolean", "number", "string", "array", "object"].indexOf(typeof value) + 1;
}
