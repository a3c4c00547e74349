import { describe, expect, it } from "vitest";
import { applyPatch, type Json, ops, StateManager, type TrackedPatch } from "../src/index.ts";

const counting = (id: number): TrackedPatch => ({ id: `${id}`, ops: [ops.increment(["n"])] });
const managerAt = (version: number): StateManager => {
  const manager = new StateManager({ n: 0 });
  for (let id = 0; id < version; id++) manager.commit(counting(id));
  return manager;
};

describe("a state manager", () => {
  it("hands out a history that cannot be used to change its own", () => {
    const manager = managerAt(3);
    // A caller without types, or with a cast, can write to an array it was given.
    (manager.history as TrackedPatch[]).length = 0;
    expect(manager.version).toBe(3);
    expect(manager.replayTo(2)).toEqual({ n: 2 });
  });

  it("does not see a batch that is changed after the commit", () => {
    const manager = managerAt(0);
    const batch = [counting(0), counting(1)];
    manager.commitBatch(batch);
    batch.length = 0;
    expect(manager.replayTo(1)).toEqual({ n: 1 });
    expect(manager.history).toHaveLength(2);
  });

  it("keeps version numbers through prune, so that a later rollback means the same version", () => {
    const manager = managerAt(5);
    manager.prune(2);
    manager.prune(2);
    expect(manager.rollback(3).map(({ id }) => id)).toEqual(["3", "4"]);
    expect(manager.snapshot()).toEqual({ version: 3, state: { n: 3 } });
    manager.commit(counting(9));
    expect(manager.snapshot()).toEqual({ version: 4, state: { n: 4 } });
    expect(manager.replayTo(2)).toEqual({ n: 2 });
  });

  it("can be pruned to its newest and rolled back to its oldest version", () => {
    const pruned = managerAt(3);
    pruned.prune(3);
    expect([pruned.history, pruned.oldestVersion, pruned.version, pruned.state]).toEqual([[], 3, 3, { n: 3 }]);
    const rolledBack = managerAt(3);
    rolledBack.rollback(0);
    expect([rolledBack.history, rolledBack.version, rolledBack.state]).toEqual([[], 0, { n: 0 }]);
  });

  it("starts again from a snapshot with the same numbers", () => {
    const { state, version } = managerAt(4).snapshot();
    const again = new StateManager(state, { version });
    again.commit(counting(4));
    expect(again.snapshot()).toEqual({ version: 5, state: { n: 5 } });
  });

  it("takes a batch of a hundred thousand patches", () => {
    const manager = managerAt(0);
    manager.commitBatch(Array.from({ length: 100_000 }, (_, id) => counting(id)));
    expect(manager.state).toEqual({ n: 100_000 });
    expect(manager.rollback(0)).toHaveLength(100_000);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])("refuses to start at version %d", (version) => {
    expect(() => new StateManager({}, { version })).toThrow("is not a version");
  });

  it("gives states that later commits do not change", () => {
    const manager = managerAt(1);
    const seen: Json = manager.state;
    manager.commit({ id: "x", ops: [ops.set(["m"], 1), ops.increment(["n"], 7)] });
    expect(seen).toEqual({ n: 1 });
    expect(manager.replayTo(1)).toEqual(applyPatch({ n: 0 }, counting(0)));
  });
});
