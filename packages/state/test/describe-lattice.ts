import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatches, type Json, type Lattice, LatticeRegistry, ops } from "../src/index.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { canonicalText } from "./oracle/equality.ts";

/**
 * The laws of a lattice, for values as they come from outside: of its shape, but not always in canonical form.
 * Everything is frozen, so that a merge or parse that writes fails too.
 */
export function describeLattice<Value extends Json>(
  name: string,
  lattice: Lattice<Value>,
  arbitrary: fc.Arbitrary<Json>,
  numRuns: number = 1_000,
): void {
  const value = arbitrary.map((json) => parse(lattice, deepFreeze(json)));
  const check = { numRuns };
  const join = (left: Value, right: Value): Value => deepFreeze(lattice.merge(left, right));

  describe(`the lattice ${name}`, () => {
    it("reads a value into one canonical form, and leaves that as it is", () => {
      const property = fc.property(value, (canonical) => {
        expect(JSON.stringify(parse(lattice, canonical))).toBe(JSON.stringify(canonical));
      });
      fc.assert(property, check);
    });

    it("merges into canonical form", () => {
      const property = fc.property(value, value, (left, right) => {
        const merged = join(left, right);
        expect(canonicalText(parse(lattice, merged))).toBe(canonicalText(merged));
      });
      fc.assert(property, check);
    });

    it("merges in either order to the same", () => {
      const property = fc.property(value, value, (left, right) => {
        expect(canonicalText(join(left, right))).toBe(canonicalText(join(right, left)));
      });
      fc.assert(property, check);
    });

    it("merges in either grouping to the same", () => {
      const property = fc.property(value, value, value, (first, second, third) => {
        const leftFirst = join(join(first, second), third);
        expect(canonicalText(leftFirst)).toBe(canonicalText(join(first, join(second, third))));
      });
      fc.assert(property, check);
    });

    it("changes nothing by merging what is already there", () => {
      const property = fc.property(value, value, (left, right) => {
        const merged = join(left, right);
        expect(canonicalText(join(left, left))).toBe(canonicalText(left));
        expect(canonicalText(join(merged, right))).toBe(canonicalText(merged));
        expect(canonicalText(join(left, merged))).toBe(canonicalText(merged));
      });
      fc.assert(property, check);
    });

    it("brings replicas to the same state whatever order, and however often, deltas arrive", () => {
      const registry = new LatticeRegistry().register(["at", "path"], lattice);
      const deltas = fc.array(fc.tuple(arbitrary, fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 });
      const property = fc.property(deltas, (arrivals) => {
        const inOrder = arrivals.map(([delta]) => delta);
        const shuffled = arrivals.toSorted(([, one], [, other]) => one - other).map(([delta]) => delta);
        const again = arrivals.toSorted(([, , one], [, , other]) => one - other).map(([delta]) => delta);
        const apply = (sequence: readonly Json[]): string => {
          const patches = sequence.map((delta) => ({ ops: [ops.latticeMerge(["at", "path"], delta)] }));
          return canonicalText(applyPatches({}, patches, registry));
        };
        expect(apply(shuffled)).toBe(apply(inOrder));
        expect(apply([...shuffled, ...again])).toBe(apply(inOrder));
      });
      fc.assert(property, check);
    });
  });
}

function parse<Value extends Json>(lattice: Lattice<Value>, json: Json): Value {
  const parsed = lattice.parse(json);
  if (parsed === undefined) throw new Error(`${lattice.name} refuses ${JSON.stringify(json)}.`);
  return deepFreeze(parsed);
}
