import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch, applyPatches, type Json, type Patch } from "../src/index.ts";
import { document } from "./arbitraries.ts";
import { aim, aimPatch, type Recipe, recipe } from "./operation-recipes.ts";
import { applyAllSlowly } from "./oracle/apply.ts";
import { canonicalText } from "./oracle/equality.ts";
import type { OracleLattices } from "./oracle/lattices.ts";
import { type Outcome, outcomeOf } from "./oracle/refusal.ts";
import { REGISTERED, registry } from "./registered-lattices.ts";
import { PROPERTY_TIMEOUT_MS, SEQUENCES } from "./runs.ts";

const recipes: fc.Arbitrary<readonly Recipe[]> = fc.array(recipe, { minLength: 1, maxLength: 6 });

describe.each([
  { title: "without lattices", lattices: undefined, slow: [] },
  { title: "with registered lattices", lattices: registry, slow: REGISTERED },
])("the engine agrees with the oracle $title", ({ lattices, slow }) => {
  it("on every single operation of a sequence", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const property = fc.property(document, recipes, (start, sequence) => {
      let current = start;
      for (const recipe of sequence) {
        const patch = { ops: [aim(current, recipe)] };
        const slowly = slowOutcome(current, [patch], slow);
        expectAgreement(
          outcomeOf(() => applyPatch(current, patch, lattices)),
          slowly,
        );
        if ("document" in slowly) current = slowly.document;
      }
    });
    fc.assert(property, { numRuns: SEQUENCES });
  });

  it("on patches of many operations, and on many patches as one step", { timeout: PROPERTY_TIMEOUT_MS }, () => {
    const size = fc.integer({ min: 1, max: 3 });
    const property = fc.property(document, recipes, fc.boolean(), size, (start, sequence, keepFailing, size) => {
      const patch = aimPatch(start, sequence, slow, keepFailing);
      const slowly = slowOutcome(start, [patch], slow);
      expectAgreement(
        outcomeOf(() => applyPatch(start, patch, lattices)),
        slowly,
      );
      expectAgreement(
        outcomeOf(() => applyPatches(start, split(patch, size), lattices)),
        slowly,
      );
    });
    fc.assert(property, { numRuns: SEQUENCES });
  });
});

describe("the random sequences", () => {
  it("mostly succeed, yet meet every error code", () => {
    const met = new Map<string, number>();
    const property = fc.property(document, recipe, (start, recipe) => {
      const outcome = slowOutcome(start, [{ ops: [aim(start, recipe)] }], REGISTERED);
      for (const result of "document" in outcome ? ["applied"] : outcome.refused) {
        met.set(result, (met.get(result) ?? 0) + 1);
      }
    });
    fc.assert(property, { numRuns: 5_000, seed: 1 });
    expect(met.size).toBe(9);
    expect(met.get("applied")).toBeGreaterThan(3_000);
    expect(Math.min(...met.values())).toBeGreaterThan(10);
  });
});

function slowOutcome(start: Json, patches: readonly Patch[], lattices: OracleLattices): Outcome {
  return outcomeOf(() => applyAllSlowly(start, patches, lattices));
}

function expectAgreement(engine: Outcome, oracle: Outcome): void {
  if ("refused" in engine && "refused" in oracle) expect(oracle.refused).toContain(engine.refused[0]);
  else expect(textOf(engine)).toBe(textOf(oracle));
}

function textOf(outcome: Outcome): string {
  return "document" in outcome ? canonicalText(outcome.document) : outcome.refused.join();
}

function split(patch: Patch, size: number): readonly Patch[] {
  if (patch.ops.length <= size) return [patch];
  return [{ ops: patch.ops.slice(0, size) }, ...split({ ops: patch.ops.slice(size) }, size)];
}
