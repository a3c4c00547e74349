import { describe, expect, it } from "vitest";
import { computeTouched, detectConflicts, gSet, LatticeRegistry, type Op, ops } from "../index.ts";

const conflicts = (left: Op[], right: Op[], lattices?: LatticeRegistry) =>
  detectConflicts(computeTouched({ ops: left }), computeTouched({ ops: right }), lattices);

describe("computeTouched", () => {
  it("lists each path once", () => {
    const patch = { ops: [ops.set(["a"], 1), ops.increment(["a"]), ops.append(["b", "c"], 1)] };
    expect(computeTouched(patch).map(({ path }) => path)).toEqual([["a"], ["b", "c"]]);
  });

  it("counts the whole array when an item is deleted from it, because the others move", () => {
    expect(computeTouched({ ops: [ops.delete(["list", 3])] })[0]?.path).toEqual(["list"]);
  });
});

describe("detectConflicts", () => {
  it("finds the same path", () => {
    expect(conflicts([ops.set(["a", "b"], 1)], [ops.increment(["a", "b"])])).toEqual([
      { kind: "ExactMatch", path: ["a", "b"] },
    ]);
  });

  it("finds a path above or below, and reports the shorter", () => {
    const expected = [{ kind: "PrefixConflict", path: ["a"] }];
    expect(conflicts([ops.set(["a"], 1)], [ops.set(["a", "b", "c"], 1)])).toEqual(expected);
    expect(conflicts([ops.set(["a", "b", "c"], 1)], [ops.set(["a"], 1)])).toEqual(expected);
  });

  it("lets different paths be", () => {
    expect(conflicts([ops.set(["a", "b"], 1)], [ops.set(["a", "c"], 1), ops.set(["b"], 1)])).toEqual([]);
  });

  it("tells a key from an index that looks like it, and sees that both cannot be", () => {
    expect(conflicts([ops.set(["a", 0], 1)], [ops.set(["a", "0"], 1)])).toEqual([
      { kind: "PrefixConflict", path: ["a"] },
    ]);
  });

  it("lets merges at a registered path be, and only those", () => {
    const lattices = new LatticeRegistry().register(["seen"], gSet);
    const merge = ops.latticeMerge(["seen"], ["a"]);
    expect(conflicts([merge], [merge], lattices)).toEqual([]);
    expect(conflicts([merge], [merge])).toHaveLength(1);
    expect(conflicts([merge, ops.set(["seen"], [])], [merge], lattices)).toEqual([
      { kind: "ExactMatch", path: ["seen"] },
    ]);
    expect(conflicts([merge], [ops.set(["seen", 0], 1)], lattices)).toEqual([
      { kind: "PrefixConflict", path: ["seen"] },
    ]);
  });
});
