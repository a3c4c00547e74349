import { compareJson } from "../document/compare-json.ts";
import { isArray, type Json } from "../document/json.ts";
import { defineLattice, type Lattice } from "./lattice.ts";

/** A set that only grows. JSON: an array, sorted, without repeats; merge: union. */
export type GSet = readonly Json[];

export const gSet: Lattice<GSet> = defineLattice<GSet>({
  name: "GSet",
  parse: (value) => (isArray(value) ? sortUnique(value) : undefined),
  merge: union,
});

function sortUnique(items: readonly Json[]): GSet {
  if (items.every((item, index) => index === 0 || compareJson(items[index - 1] as Json, item) < 0)) return items;
  const sorted = items.toSorted((left, right) => compareJson(left, right));
  return sorted.filter((item, index) => index === 0 || compareJson(sorted[index - 1] as Json, item) !== 0);
}

/** Walks two sorted sets side by side; the left one itself comes back when it has everything. */
function union(left: GSet, right: GSet): GSet {
  const merged: Json[] = [];
  let rightIndex = 0;
  for (const item of left) {
    while (rightIndex < right.length && compareJson(right[rightIndex] as Json, item) < 0) {
      merged.push(right[rightIndex++] as Json);
    }
    if (rightIndex < right.length && compareJson(right[rightIndex] as Json, item) === 0) rightIndex++;
    merged.push(item);
  }
  const all = merged.concat(right.slice(rightIndex));
  return all.length === left.length ? left : all;
}
