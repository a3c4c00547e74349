import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatches, type Json, StateManager, type TrackedPatch } from "../src/index.ts";
import { document, value } from "./arbitraries.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { aimPatch, recipeWith } from "./operation-recipes.ts";
import { applyAllSlowly } from "./oracle/apply.ts";
import { canonicalText } from "./oracle/equality.ts";
import { refusalsOf } from "./oracle/refusal.ts";
import { REGISTERED, registry } from "./registered-lattices.ts";
import { PROPERTY_TIMEOUT_MS, SEQUENCES } from "./runs.ts";

const recipes = fc.array(recipeWith(value), { minLength: 1, maxLength: 3 });

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("commit" as const), recipes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("commit batch" as const), batch: fc.array(recipes) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fail" as const), recipes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("rollback" as const, "prune" as const), pick: fc.nat() }) },
);

/** What a manager must know, in the plainest form: every version's state as text, and the patches between them. */
interface Model {
  base: number;
  states: Json[];
  patches: TrackedPatch[];
}

describe("a state manager", () => {
  it("is the fold of its patches, through commits, failures, rollbacks and prunes", {
    timeout: PROPERTY_TIMEOUT_MS,
  }, () => {
    const start = fc.nat({ max: 5 });
    const property = fc.property(document, start, fc.array(step, { maxLength: 10 }), (initial, version, steps) => {
      const manager = new StateManager(deepFreeze(initial), { lattices: registry, version });
      const model: Model = { base: version, states: [initial], patches: [] };
      for (const step of steps) {
        take(manager, model, step);
        expectSame(manager, model);
      }
      expectReplays(manager, model);
    });
    fc.assert(property, { numRuns: SEQUENCES / 10 });
  });
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function take(manager: StateManager, model: Model, step: Step): void {
  const current = model.states.at(-1) ?? null;
  if (step.kind === "commit") {
    const patch = tracked(current, step.recipes, model);
    expect(manager.commit(patch)).toBe(manager.state);
    record(model, patch);
  } else if (step.kind === "commit batch") {
    const scratch: Model = { base: model.base, states: [...model.states], patches: [...model.patches] };
    for (const recipes of step.batch) record(scratch, tracked(scratch.states.at(-1) ?? null, recipes, scratch));
    const batch = scratch.patches.slice(model.patches.length);
    expect(manager.commitBatch(batch)).toBe(manager.state);
    for (const patch of batch) record(model, patch);
  } else if (step.kind === "fail") {
    const good = tracked(current, step.recipes, model);
    const bad: TrackedPatch = { id: "bad", ops: [...good.ops, { op: "increment", path: ["no", "such"], amount: 1 }] };
    expect(refusalsOf(() => manager.commit(bad))).toHaveLength(1);
    expect(refusalsOf(() => manager.commitBatch([good, bad]))).toHaveLength(1);
  } else {
    move(manager, model, step.kind, model.base + (step.pick % model.states.length));
  }
}

function move(manager: StateManager, model: Model, kind: "rollback" | "prune", version: number): void {
  const count = version - model.base;
  if (kind === "rollback") {
    expect(manager.rollback(version)).toEqual(model.patches.slice(count));
    model.states.length = count + 1;
    model.patches.length = count;
  } else {
    manager.prune(version);
    model.states.splice(0, count);
    model.patches.splice(0, count);
    model.base = version;
  }
}

function tracked(current: Json, sequence: Parameters<typeof aimPatch>[1], { base, patches }: Model): TrackedPatch {
  const { ops } = aimPatch(current, sequence, REGISTERED, false);
  return deepFreeze({ id: `patch ${base + patches.length}`, source: "test", ops });
}

function record(model: Model, patch: TrackedPatch): void {
  model.states.push(applyAllSlowly(model.states.at(-1) ?? null, [patch], REGISTERED));
  model.patches.push(patch);
}

function expectSame(manager: StateManager, model: Model): void {
  expect(canonicalText(manager.state)).toBe(canonicalText(model.states.at(-1) ?? null));
  expect(manager.version).toBe(model.base + model.patches.length);
  expect(manager.oldestVersion).toBe(model.base);
  expect(manager.history.map(({ id }) => id)).toEqual(model.patches.map(({ id }) => id));
  expect(manager.snapshot()).toEqual({ version: manager.version, state: manager.state });
}

function expectReplays(manager: StateManager, model: Model): void {
  const before = manager.snapshot();
  for (const [count, state] of model.states.entries()) {
    expect(canonicalText(manager.replayTo(model.base + count))).toBe(canonicalText(state));
  }
  const refold = applyPatches(manager.replayTo(manager.oldestVersion), manager.history, registry);
  expect(canonicalText(refold)).toBe(canonicalText(manager.state));
  for (const unknown of [model.base - 1, manager.version + 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    for (const go of [() => manager.replayTo(unknown), () => manager.rollback(unknown), () => manager.prune(unknown)]) {
      expect(refusalsOf(go)).toEqual(["INVALID_OPERATION"]);
    }
  }
  expect(manager.snapshot()).toEqual(before);
}
