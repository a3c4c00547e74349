import { deepEqual } from "../document/deep-equal.ts";
import type { Json, JsonArray } from "../document/json.ts";
import { commonItems } from "./common-items.ts";

/**
 * One step of turning an array into another, carried out from left to right: `to` is the position at that moment,
 * which is also the position in the array after.
 */
export type ArrayEdit =
  | { readonly kind: "change"; readonly from: number; readonly to: number }
  | { readonly kind: "delete"; readonly to: number }
  | ArrayInsert;

export interface ArrayInsert {
  readonly kind: "insert";
  readonly to: number;
  /** Whether nothing of the old array is left to the right: the item is appended. */
  readonly isLast: boolean;
}

/** The steps from one array to the other. Equal items stay where they are; between them items pair up as changes. */
export function editScript(before: JsonArray, after: JsonArray): readonly ArrayEdit[] {
  const { start, end } = sharedEnds(before, after);
  const middleBefore = before.slice(start, before.length - end);
  const middleAfter = after.slice(start, after.length - end);

  const edits: ArrayEdit[] = [];
  let from = 0;
  let to = 0;
  const boundary = { from: middleBefore.length, to: middleAfter.length };
  for (const kept of [...commonItems(middleBefore, middleAfter), boundary]) {
    while (from < kept.from && to < kept.to) edits.push({ kind: "change", from: start + from++, to: start + to++ });
    for (; from < kept.from; from++) edits.push({ kind: "delete", to: start + to });
    for (; to < kept.to; to++) edits.push({ kind: "insert", to: start + to, isLast: kept === boundary && end === 0 });
    from++;
    to++;
  }
  return edits;
}

/** How many items both arrays share at the start and, beyond those, at the end. */
function sharedEnds(before: JsonArray, after: JsonArray): { readonly start: number; readonly end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && deepEqual(before[start] as Json, after[start] as Json)) start++;
  let end = 0;
  const isShared = () => deepEqual(before[before.length - 1 - end] as Json, after[after.length - 1 - end] as Json);
  while (end < shorter - start && isShared()) end++;
  return { start, end };
}
