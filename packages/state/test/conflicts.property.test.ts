import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyPatches,
  type Conflict,
  computeTouched,
  detectConflicts,
  LatticeRegistry,
  maxReg,
  type Op,
  ops,
  type Patch,
  type Path,
} from "../src/index.ts";
import { document, value } from "./arbitraries.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { aimPatch, recipeWith } from "./operation-recipes.ts";
import { conflictsSlowly, touchedBy } from "./oracle/conflicts.ts";
import { canonicalText } from "./oracle/equality.ts";
import { outcomeOf } from "./oracle/refusal.ts";
import { REGISTERED, registry } from "./registered-lattices.ts";
import { PROPERTY_TIMEOUT_MS, SEQUENCES } from "./runs.ts";

const slow = { timeout: PROPERTY_TIMEOUT_MS };

// Few segments, so that paths meet; keys that look like indexes, so that the two are told apart.
const crowdedPath: fc.Arbitrary<Path> = fc.array(fc.constantFrom("a", "b", "0", "", "\uD800", 0, 1), { maxLength: 4 });
const MERGEABLE: readonly Path[] = [["a"], ["a", "b"], ["a", 0], ["0"], [0], []];
const mergeable = MERGEABLE.reduce((known, path) => known.register(path, maxReg), new LatticeRegistry());

const crowdedOp: fc.Arbitrary<Op> = fc
  .tuple(fc.oneof(crowdedPath, fc.constantFrom(...MERGEABLE)), fc.nat())
  .map(([path, pick]) => {
    const plain = [ops.set(path, 1), ops.delete(path), ops.increment(path), ops.remove(path, 1)];
    return (pick % 2 === 0 ? plain[(pick / 2) % plain.length] : undefined) ?? ops.latticeMerge(path, 1);
  });
const crowdedPatch: fc.Arbitrary<Patch> = fc.record({ ops: fc.array(crowdedOp, { maxLength: 5 }) });

describe("detectConflicts", () => {
  it.each([
    { title: "without lattices", lattices: undefined, registered: [] },
    { title: "with lattices", lattices: mergeable, registered: MERGEABLE },
  ])("finds what comparing every pair finds, $title", slow, ({ lattices, registered }) => {
    const property = fc.property(crowdedPatch, crowdedPatch, (left, right) => {
      const found = detectConflicts(computeTouched(left), computeTouched(right), lattices);
      expect(inOrder(found)).toEqual(inOrder(conflictsSlowly(left, right, registered)));
    });
    fc.assert(property, { numRuns: SEQUENCES });
  });

  it("finds the same from both sides", slow, () => {
    const property = fc.property(crowdedPatch, crowdedPatch, (left, right) => {
      const [one, other] = [deepFreeze(computeTouched(left)), deepFreeze(computeTouched(right))];
      expect(inOrder(detectConflicts(one, other, mergeable))).toEqual(inOrder(detectConflicts(other, one, mergeable)));
    });
    fc.assert(property, { numRuns: SEQUENCES / 5 });
  });

  it("finds that a patch which is not empty conflicts with itself, merges at lattices apart", slow, () => {
    const property = fc.property(crowdedPatch, (patch) => {
      const touched = computeTouched(patch);
      const isNeverMerge = patch.ops.some((op) => op.op !== "lattice_merge");
      expect(detectConflicts(touched, touched).length > 0).toBe(patch.ops.length > 0);
      if (isNeverMerge) expect(detectConflicts(touched, touched, mergeable)).not.toEqual([]);
    });
    fc.assert(property, { numRuns: SEQUENCES / 5 });
  });
});

describe("computeTouched", () => {
  it("names every touched path once, in order of first touch", slow, () => {
    const property = fc.property(crowdedPatch, (patch) => {
      const paths = new Map(patch.ops.map((op) => [canonicalText(touchedBy(op)), touchedBy(op)]));
      expect(computeTouched(patch).map(({ path }) => path)).toEqual([...paths.values()]);
    });
    fc.assert(property, { numRuns: SEQUENCES / 5 });
  });
});

describe("patches without conflicts", () => {
  const recipes = fc.array(recipeWith(value), { minLength: 1, maxLength: 4 });

  it.each([
    { title: "without lattices", lattices: undefined, slowLattices: [] },
    { title: "with lattices", lattices: registry, slowLattices: REGISTERED },
  ])("commute or fail in both orders, $title", slow, ({ lattices, slowLattices }) => {
    const registered = slowLattices.map(({ path }) => path);
    const property = fc.property(document, recipes, recipes, fc.boolean(), (base, one, other, keepFailing) => {
      const left = aimPatch(base, one, slowLattices, keepFailing);
      const all = aimPatch(base, other, slowLattices, keepFailing);
      // Dropping what conflicts leaves a patch that does not: most random pairs would otherwise be thrown away.
      const right = { ops: all.ops.filter((op) => conflictsSlowly(left, { ops: [op] }, registered).length === 0) };
      fc.pre(detectConflicts(computeTouched(left), computeTouched(right), lattices).length === 0);
      const leftFirst = outcomeOf(() => applyPatches(base, [left, right], lattices));
      const rightFirst = outcomeOf(() => applyPatches(base, [right, left], lattices));
      expect(documentText(leftFirst)).toBe(documentText(rightFirst));
    });
    fc.assert(property, { numRuns: SEQUENCES / 4 });
  });
});

function inOrder(conflicts: readonly Conflict[]): readonly string[] {
  return conflicts.map(({ kind, path }) => `${canonicalText(path)} ${kind}`).toSorted();
}

function documentText(outcome: ReturnType<typeof outcomeOf>): string {
  return "document" in outcome ? canonicalText(outcome.document) : "refused";
}
