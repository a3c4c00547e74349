import { describe, expect, it } from "vitest";
import {
  applyPatch,
  defineLattice,
  EMPTY_OR_SET,
  flag,
  gCounter,
  gCounterIncrement,
  gCounterValue,
  gSet,
  type Json,
  type Lattice,
  LatticeRegistry,
  maxReg,
  minReg,
  type OrMap,
  ops,
  orMap,
  orMapGet,
  orMapKeys,
  orMapPut,
  orMapRemove,
  orSet,
  orSetAdd,
  orSetElements,
  orSetHas,
  orSetRemove,
} from "../index.ts";

function merged(lattice: Lattice, current: Json | undefined, delta: Json): Json {
  const registry = new LatticeRegistry().register(["x"], lattice);
  const document: Json = current === undefined ? {} : { x: current };
  return (applyPatch(document, { ops: [ops.latticeMerge(["x"], delta)] }, registry) as { x: Json }).x;
}

describe("lattices", () => {
  it("merge in the JSON shapes of their definition", () => {
    expect(merged(flag, false, true)).toBe(true);
    expect(merged(maxReg, 3, 7)).toBe(7);
    expect(merged(maxReg, "b", "a")).toBe("b");
    expect(merged(minReg, 3, 7)).toBe(3);
    expect(merged(gCounter, { a: 1, b: 5 }, { a: 4, c: 1 })).toEqual({ a: 4, b: 5, c: 1 });
    expect(merged(gSet, ["a", "c"], ["b", "c"])).toEqual(["a", "b", "c"]);
    expect(merged(orSet, { entries: { a: 1 }, tombstones: {} }, { entries: {}, tombstones: { a: 2 } })).toEqual({
      entries: { a: 1 },
      tombstones: { a: 2 },
    });
    expect(
      merged(
        orMap(maxReg),
        { entries: { k: { value: 5, timestamp: 1 } }, tombstones: {} },
        { entries: { k: { value: 3, timestamp: 4 } }, tombstones: { k: 2 } },
      ),
    ).toEqual({ entries: { k: { value: 5, timestamp: 4 } }, tombstones: { k: 2 } });
  });

  it("take the delta itself where nothing stood, in canonical form", () => {
    expect(merged(gSet, undefined, ["b", "a", "b"])).toEqual(["a", "b"]);
    expect(merged(flag, undefined, false)).toBe(false);
  });

  it("refuse values of another shape, on either side", () => {
    expect(() => merged(gSet, "x", ["a"])).toThrow("Type mismatch at $.x: expected a GSet, found string.");
    expect(() => merged(gCounter, { a: 1 }, { a: -1 })).toThrow("expected a GCounter, found object");
    expect(() => merged(orSet, undefined, { entries: {} })).toThrow("expected a ORSet");
    expect(() =>
      merged(orMap(flag), undefined, { entries: { k: { value: 1, timestamp: 1 } }, tombstones: {} }),
    ).toThrow("expected a ORMap of Flag");
  });

  it("keep the document when nothing is new", () => {
    const registry = new LatticeRegistry().register(["x"], orMap(gSet));
    const document: Json = { x: { entries: { k: { value: ["a", "b"], timestamp: 2 } }, tombstones: {} } };
    const delta = { entries: { k: { value: ["a"], timestamp: 1 } }, tombstones: {} };
    expect(applyPatch(document, { ops: [ops.latticeMerge(["x"], delta)] }, registry)).toBe(document);
  });

  it("fall back to set without a registry", () => {
    expect(applyPatch({ x: ["a"] }, { ops: [ops.latticeMerge(["x"], ["b"])] })).toEqual({ x: ["b"] });
  });

  it("can be your own", () => {
    const longest = defineLattice<string>({
      name: "Longest",
      parse: (value) => (typeof value === "string" ? value : undefined),
      merge: (left, right) =>
        right.length > left.length || (right.length === left.length && right > left) ? right : left,
    });
    expect(merged(longest, "ab", "abc")).toBe("abc");
    expect(() => merged(longest, 1, "a")).toThrow("expected a Longest");
  });

  it("have one place each in a registry", () => {
    const registry = new LatticeRegistry().register(["a", 0], gSet).register(["a", 0], gSet);
    expect(registry.latticeAt(["a", "0"])).toBeUndefined();
    expect(registry.latticeAt(["a", 0])).toBe(gSet);
    expect(registry.entries()).toHaveLength(1);
    expect(() => registry.register(["a", 0], flag)).toThrow("the lattice GSet is already registered here, not Flag");
  });
});

describe("GCounter", () => {
  it("counts per node and sums up, without passing the safe integers", () => {
    const once = gCounter.merge({}, gCounterIncrement({}, "a", 2));
    const twice = gCounter.merge(once, gCounterIncrement(once, "b"));
    expect(gCounterValue(twice)).toBe(3);
    expect(gCounterIncrement({ a: Number.MAX_SAFE_INTEGER }, "a", 5)).toEqual({ a: Number.MAX_SAFE_INTEGER });
    expect(() => gCounterIncrement({}, "a", -1)).toThrow("grows by a non-negative safe integer");
  });
});

describe("ORSet", () => {
  it("adds, removes and adds again; an add wins a tie", () => {
    const added = orSet.merge(EMPTY_OR_SET, orSetAdd(EMPTY_OR_SET, "__proto__"));
    expect(orSetElements(added)).toEqual(["__proto__"]);
    const removed = orSet.merge(added, orSetRemove(added, "__proto__"));
    expect(orSetHas(removed, "__proto__")).toBe(false);
    expect(orSetHas(orSet.merge(removed, orSetAdd(removed, "__proto__")), "__proto__")).toBe(true);
    expect(orSetHas({ entries: { a: 2 }, tombstones: { a: 2 } }, "a")).toBe(true);
    expect(orSetHas(EMPTY_OR_SET, "toString")).toBe(false);
  });
});

describe("ORMap", () => {
  it("puts, merges values, removes and puts again", () => {
    const counters = orMap(gCounter);
    let map: OrMap<{ readonly [node: string]: number }> = { entries: {}, tombstones: {} };
    map = counters.merge(map, orMapPut(map, "k", { a: 1 }));
    map = counters.merge(map, orMapPut(map, "k", { b: 2 }));
    expect(orMapGet(map, "k")).toEqual({ a: 1, b: 2 });
    map = counters.merge(map, orMapRemove(map, "k"));
    expect(orMapKeys(map)).toEqual([]);
    map = counters.merge(map, orMapPut(map, "k", { b: 1 }));
    expect(orMapKeys(map)).toEqual(["k"]);
    expect(orMapGet(map, "toString")).toBeUndefined();
  });
});
