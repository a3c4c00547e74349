import fc from "fast-check";
import { type Comparable, defineLattice, type Json, type Lattice } from "../src/index.ts";
import { objectOf, scalar, value, valueKey } from "./arbitraries.ts";

/** Times and counts: mostly close together, so that ties happen. */
const time: fc.Arbitrary<number> = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1) },
);

export const clocks: fc.Arbitrary<Readonly<Record<string, number>>> = objectOf(valueKey, time);

export const comparable: fc.Arbitrary<Comparable> = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom("", "a", "b", "B", "10", "9", "😀", "\uFFFF"),
);

/** Not in canonical form: unsorted, with repeats. */
export const looseSet: fc.Arbitrary<readonly Json[]> = fc.array(fc.oneof({ weight: 3, arbitrary: scalar }, value), {
  maxLength: 6,
});

export const addRemoveSet: fc.Arbitrary<Json> = fc.record({ entries: clocks, tombstones: clocks });

export function addRemoveMap(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const entry = fc.record({ value: values, timestamp: time });
  return fc.record({ entries: objectOf(valueKey, entry), tombstones: clocks });
}

/** A lattice of a user: of two texts the longer stays, of two of the same length the later in the alphabet. */
export const longestText: Lattice<string> = defineLattice<string>({
  name: "LongestText",
  parse: (text) => (typeof text === "string" ? text : undefined),
  merge: (left, right) => (right.length > left.length || (right.length === left.length && right > left) ? right : left),
});

export const text: fc.Arbitrary<string> = fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 3 });
