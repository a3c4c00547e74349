import { describe, expect, it } from "vitest";
import {
  applyPatch,
  assertJson,
  deepEqual,
  diff,
  flag,
  getAt,
  gSet,
  isJson,
  type Json,
  LatticeRegistry,
  MAX_DEPTH,
  type Op,
  ops,
  orMap,
  type Path,
  parseOp,
  StateManager,
} from "../src/index.ts";
import { DOORS, everyOperationWith } from "./doors.ts";
import { nested } from "./nested.ts";
import { applySlowly } from "./oracle/apply.ts";
import { outcomeOf, refusalsOf } from "./oracle/refusal.ts";
import { expectVerdicts, verdictOf } from "./verdict.ts";

const HUGE = 100_000;
const depths = Array.from({ length: 5 }, (_, index) => MAX_DEPTH - 3 + index);

describe("a document", () => {
  it("may be as deep as the limit and no deeper", () => {
    expect(depths.map((depth) => isJson(nested(depth)))).toEqual(depths.map((depth) => depth <= 64));
    expect(verdictOf(() => assertJson(nested(64)))).toBe("passed");
    expect(verdictOf(() => assertJson(nested(65)))).toBe("INVALID_OPERATION");
    expect(verdictOf(() => new StateManager(nested(64)))).toBe("passed");
    expect(verdictOf(() => new StateManager(nested(65)))).toBe("INVALID_OPERATION");
  });

  it.each(["set", "append", "merge_object", "lattice_merge", "insert"] as const)(
    "is never made deeper than the limit by %s, wherever the value goes",
    (name) => {
      // An array to insert into is itself a container, so it ends one level earlier.
      const longest = name === "insert" ? 63 : 64;
      for (let length = 0; length <= longest; length += length < 60 ? 12 : 1) {
        const path = Array.from({ length }, () => "k");
        const start = name === "insert" || length === 0 ? nested(length, [], "k") : {};
        for (const depth of [0, 1, 2, 64 - length - 2, 64 - length - 1, 64 - length, 64 - length + 1]) {
          if (depth < 0 || (name === "merge_object" && length === 0)) continue;
          const value = name === "merge_object" ? { key: nested(depth) } : nested(depth);
          const op: Op = name === "insert" ? ops.insert(path, 0, value) : { op: name, path, value };
          expectSameAsOracle(start, op, `${name} at ${length} of ${depth}`);
        }
      }
    },
  );

  it("is searched for values of the same depths when a remove is checked", () => {
    for (const depth of [0, 59, 60, 61, 62, 63, 64]) {
      const op = ops.remove(["a", "b"], nested(depth));
      const parsed = verdictOf(() => parseOp(op));
      expect([depth, verdictOf(() => applyPatch({ a: { b: [] } }, { ops: [op] }))]).toEqual([depth, parsed]);
    }
  });

  it("can be entered by a path as long as the limit, and compared there", () => {
    const path = Array.from({ length: 64 }, () => "k");
    const [before, after] = [nested(64, 1, "k"), nested(64, 2, "k")];
    expect(getAt(before, path)).toBe(1);
    expect(diff(before, after)).toEqual([ops.set(path, 2)]);
    expect(deepEqual(applyPatch(before, { ops: [ops.increment(path)] }), after)).toBe(true);
  });
});

describe.each(DOORS)("$name, given a value nested a hundred thousand levels", ({ enter }) => {
  it("refuses it by a typed error instead of overflowing the stack", () => {
    const values = [nested(HUGE), nested(HUGE, 1, "k"), { list: [nested(HUGE)] }];
    const attacks = values
      .flatMap((value) => everyOperationWith(["list"], value))
      .map((op) => [op.op, () => enter(op)] as const);
    expectVerdicts(attacks, "INVALID_OPERATION", "MERGE_REQUIRES_OBJECT");
  });

  it("refuses a value that contains itself", () => {
    const object: Record<string, Json> = {};
    object.self = object;
    const array: Json[] = [];
    array.push(array, { array });
    const attacks = [object, array, { list: [object, array] }]
      .flatMap((value) => everyOperationWith(["list"], value))
      .map((op) => [op.op, () => enter(op)] as const);
    expectVerdicts(attacks, "INVALID_OPERATION", "SERIALIZATION", "MERGE_REQUIRES_OBJECT");
  });
});

describe("documents nested a hundred thousand levels", () => {
  const [one, other] = [nested(HUGE), nested(HUGE, 2)];
  const [oneObject, otherObject] = [nested(HUGE, 1, "k"), nested(HUGE, 2, "k")];
  const lattices = new LatticeRegistry()
    .register(["set"], gSet)
    .register(["map"], orMap(gSet))
    .register(["flags"], orMap(flag));

  it.each<readonly [string, () => unknown]>([
    ["diff of arrays", () => diff(one, other)],
    ["diff of objects", () => diff(oneObject, otherObject)],
    ["diff of an array and an object", () => diff(one, oneObject)],
    ["diff of items", () => diff([0, one, 1], [one, other])],
    ["deepEqual", () => deepEqual(one, other)],
    ["a new StateManager", () => new StateManager(one)],
    ["remove of an equal item", () => applyPatch({ list: [one] }, { ops: [ops.remove(["list"], nested(50))] })],
    ["set beside them", () => applyPatch({ one }, { ops: [ops.set(["other"], 1), ops.delete(["one"])] })],
    [
      "a merge into a set",
      () => applyPatch({ set: [other, one] }, { ops: [ops.latticeMerge(["set"], [1])] }, lattices),
    ],
    ["a merge into a map", () => applyPatch(mapOf([other, one]), { ops: [mergeMap([1])] }, lattices)],
    [
      "a merge of another shape",
      () => applyPatch({ flags: one }, { ops: [ops.latticeMerge(["flags"], {})] }, lattices),
    ],
  ])("%s ends without overflowing the stack", (label, attack) => {
    expectVerdicts([[label, attack]], "INVALID_OPERATION", "TYPE_MISMATCH", "passed");
  });

  it.each<readonly [string, (value: Json) => unknown]>([
    ["isJson", (value) => isJson(value)],
    ["assertJson", (value) => assertJson(value)],
    ["parseOp", (value) => parseOp(value)],
    ["getAt", (value) => getAt(value, [0, 0, 0])],
  ])("%s ends without overflowing the stack", (label, read) => {
    expectVerdicts([[label, () => read(one)]], "INVALID_OPERATION", "SERIALIZATION", "passed");
  });
});

function mapOf(value: Json): Json {
  return { map: { entries: { key: { value, timestamp: 1 } }, tombstones: {} } };
}

function mergeMap(value: Json): Op {
  return ops.latticeMerge(["map"], { entries: { key: { value, timestamp: 1 } }, tombstones: {} });
}

function expectSameAsOracle(start: Json, op: Op, label: string): void {
  const slowly = outcomeOf(() => applySlowly(start, op));
  const refusals = refusalsOf(() => applyPatch(start, { ops: [op] }));
  expect([label, refusals]).toEqual([label, "refused" in slowly ? slowly.refused : []]);
  expect([label, refusalsOf(() => parseOp(op))]).toEqual([label, refusals]);
  const path: Path = [];
  if (refusals.length === 0) expect(verdictOf(() => assertJson(applyPatch(start, { ops: [op] }), path))).toBe("passed");
}
