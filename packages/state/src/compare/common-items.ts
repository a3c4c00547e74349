import { deepEqual } from "../document/deep-equal.ts";
import type { Json, JsonArray } from "../document/json.ts";

/** A position in both arrays where equal items stand. */
export interface CommonItem {
  readonly from: number;
  readonly to: number;
}

/** Beyond this many insertions and deletions, finding the fewest costs more than writing a few too many. */
const MAX_EDITS = 256;

/**
 * The longest common subsequence of two arrays, by Myers' greedy search (An O(ND) Difference Algorithm, 1986).
 * `reach[k]` is how far into `before` the search has come on diagonal k = from − to. Empty when the arrays differ too much.
 */
export function commonItems(before: JsonArray, after: JsonArray): readonly CommonItem[] {
  if (before.length === 0 || after.length === 0) return [];
  const limit = Math.min(before.length + after.length, MAX_EDITS);
  const origin = limit + 1;
  const reach = new Int32Array(2 * limit + 3);
  const trail: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    trail.push(reach.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let from = enter(reach, origin, diagonal, edits);
      while (from < before.length && from - diagonal < after.length && isCommon(before, after, from, diagonal)) from++;
      reach[origin + diagonal] = from;
      if (from >= before.length && from - diagonal >= after.length) return walkBack(trail, origin, before, after);
    }
  }
  return [];
}

/** Where a diagonal is entered: after an insertion on the one above or a deletion on the one below. */
function enter(reach: Int32Array, origin: number, diagonal: number, edits: number): number {
  const above = reach[origin + diagonal + 1] as number;
  const below = reach[origin + diagonal - 1] as number;
  return isInsertion(reach, origin, diagonal, edits) ? above : below + 1;
}

/** Of the two neighbours the search comes from the one that reached further. */
function isInsertion(reach: Int32Array, origin: number, diagonal: number, edits: number): boolean {
  if (diagonal === -edits || diagonal === edits) return diagonal === -edits;
  return (reach[origin + diagonal - 1] as number) < (reach[origin + diagonal + 1] as number);
}

function isCommon(before: JsonArray, after: JsonArray, from: number, diagonal: number): boolean {
  return deepEqual(before[from] as Json, after[from - diagonal] as Json);
}

/** Follows the trail from the end to the start and collects the diagonal steps: those are the common items. */
function walkBack(
  trail: readonly Int32Array[],
  origin: number,
  before: JsonArray,
  after: JsonArray,
): readonly CommonItem[] {
  const common: CommonItem[] = [];
  let from = before.length;
  let to = after.length;
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const reach = trail[edits] as Int32Array;
    const diagonal = from - to;
    const entered = edits === 0 ? 0 : enter(reach, origin, diagonal, edits);
    while (from > entered && to > 0) common.push({ from: --from, to: --to });
    if (edits === 0) break;
    if (isInsertion(reach, origin, diagonal, edits)) to--;
    else from--;
  }
  return common.reverse();
}
