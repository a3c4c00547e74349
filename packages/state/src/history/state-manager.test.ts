import { describe, expect, it } from "vitest";
import { gSet, LatticeRegistry, ops, StateManager, type TrackedPatch } from "../index.ts";

const count = (id: string): TrackedPatch => ({ id, ops: [ops.increment(["n"])] });

describe("StateManager", () => {
  it("keeps every patch and can rebuild every state", () => {
    const manager = new StateManager({ n: 0 });
    expect(manager.commit(count("1"))).toEqual({ n: 1 });
    expect(manager.commitBatch([count("2"), count("3")])).toEqual({ n: 3 });
    expect(manager.version).toBe(3);
    expect(manager.history.map(({ id }) => id)).toEqual(["1", "2", "3"]);
    expect([0, 1, 2, 3].map((version) => manager.replayTo(version))).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
    expect(manager.state).toEqual({ n: 3 });
  });

  it("takes a batch whole or not at all", () => {
    const manager = new StateManager({ n: 0 });
    const broken: TrackedPatch = { id: "x", ops: [ops.increment(["absent"])] };
    expect(() => manager.commitBatch([count("1"), broken])).toThrow("Path not found: $.absent.");
    expect(() => manager.commit(broken)).toThrow("Path not found: $.absent.");
    expect(manager.snapshot()).toEqual({ version: 0, state: { n: 0 } });
    expect(manager.history).toEqual([]);
  });

  it("rolls back and returns what it forgot", () => {
    const manager = new StateManager({ n: 0 });
    manager.commitBatch([count("1"), count("2"), count("3")]);
    expect(manager.rollback(1).map(({ id }) => id)).toEqual(["2", "3"]);
    expect(manager.snapshot()).toEqual({ version: 1, state: { n: 1 } });
    expect(manager.commit(count("4"))).toEqual({ n: 2 });
  });

  it("continues from a snapshot, and prunes what lies before one", () => {
    const manager = new StateManager({ n: 0 });
    manager.commitBatch([count("1"), count("2"), count("3")]);
    manager.prune(2);
    expect(manager.oldestVersion).toBe(2);
    expect(manager.replayTo(2)).toEqual({ n: 2 });
    expect(() => manager.replayTo(1)).toThrow("there is no version 1; known are 2 to 3");

    const { state, version } = manager.snapshot();
    const other = new StateManager(state, { version });
    other.commit(count("4"));
    expect(other.snapshot()).toEqual({ version: 4, state: { n: 4 } });
  });

  it("merges by the lattices it is given", () => {
    const manager = new StateManager({}, { lattices: new LatticeRegistry().register(["seen"], gSet) });
    for (const item of ["b", "a"]) manager.commit({ id: item, ops: [ops.latticeMerge(["seen"], [item])] });
    expect(manager.state).toEqual({ seen: ["a", "b"] });
    expect(manager.replayTo(1)).toEqual({ seen: ["b"] });
  });

  it("refuses versions and states that cannot be", () => {
    expect(() => new StateManager({ n: Number.NaN })).toThrow("NaN is not a JSON number");
    expect(() => new StateManager({}, { version: -1 })).toThrow("-1 is not a version");
    const manager = new StateManager({});
    for (const version of [-1, 1, 0.5, Number.NaN])
      expect(() => manager.replayTo(version)).toThrow("there is no version");
  });
});
