import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  EMPTY_OR_SET,
  flag,
  type GCounter,
  gCounter,
  gCounterIncrement,
  gCounterValue,
  gSet,
  type Json,
  type Lattice,
  maxReg,
  minReg,
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
} from "../src/index.ts";
import { scalar, value, valueKey } from "./arbitraries.ts";
import { describeLattice } from "./describe-lattice.ts";
import * as arbitrary from "./lattice-arbitraries.ts";
import { SEQUENCES } from "./runs.ts";

const { addRemoveMap, addRemoveSet, clocks, comparable, longestText, looseSet, text } = arbitrary;
const RUNS = SEQUENCES / 40;

describeLattice("flag", flag, fc.boolean(), RUNS);
describeLattice("maxReg", maxReg, comparable, RUNS);
describeLattice("minReg", minReg, comparable, RUNS);
describeLattice("gCounter", gCounter, clocks, RUNS);
describeLattice("gSet", gSet, looseSet, RUNS);
describeLattice("orSet", orSet, addRemoveSet, RUNS);
describeLattice("orMap of flag", orMap(flag), addRemoveMap(fc.boolean()), RUNS);
describeLattice("orMap of maxReg", orMap(maxReg), addRemoveMap(comparable), RUNS);
describeLattice("orMap of minReg", orMap(minReg), addRemoveMap(comparable), RUNS);
describeLattice("orMap of gCounter", orMap(gCounter), addRemoveMap(clocks), RUNS);
describeLattice("orMap of gSet", orMap(gSet), addRemoveMap(looseSet), RUNS);
describeLattice("orMap of orSet", orMap(orSet), addRemoveMap(addRemoveSet), RUNS);
describeLattice("orMap of orMap of gSet", orMap(orMap(gSet)), addRemoveMap(addRemoveMap(looseSet)), RUNS);
describeLattice("a lattice of a user", longestText, text, RUNS);
describeLattice("orMap of a lattice of a user", orMap(longestText), addRemoveMap(text), RUNS);

const wrongShapes: readonly (readonly [string, Lattice, readonly Json[]])[] = [
  ["flag", flag, [null, 0, "true", [], {}]],
  ["maxReg", maxReg, [null, true, [], {}]],
  ["gCounter", gCounter, [null, 1, [], { a: -1 }, { a: 1.5 }, { a: "1" }, { a: 2 ** 53 }]],
  ["gSet", gSet, [null, "abc", {}, { length: 0 }]],
  ["orSet", orSet, [null, [], {}, { entries: {} }, { entries: {}, tombstones: { a: -1 } }]],
  [
    "orSet",
    orSet,
    [
      { entries: {}, tombstones: {}, more: {} },
      { entries: [], tombstones: {} },
    ],
  ],
  [
    "orMap of flag",
    orMap(flag),
    [
      ...[null, {}, { entries: {} }, { entries: { a: true }, tombstones: {} }],
      { entries: { a: { value: 1, timestamp: 1 } }, tombstones: {} },
      { entries: { a: { value: true, timestamp: -1 } }, tombstones: {} },
      { entries: { a: { value: true } }, tombstones: {} },
      { entries: { a: { value: true, timestamp: 1, more: 1 } }, tombstones: {} },
    ],
  ],
];

describe.each(wrongShapes)("the lattice %s", (_name, lattice, values) => {
  it.each(values.map((value) => [JSON.stringify(value), value] as const))("refuses to read %s", (_, value) => {
    expect(lattice.parse(value)).toBeUndefined();
  });
});

describe("what lattices are for", () => {
  it("a counter of many nodes counts every increment once, in any order of arrival", () => {
    const increments = fc.array(fc.tuple(valueKey, fc.nat({ max: 9 })), { maxLength: 8 });
    const property = fc.property(increments, (sequence) => {
      const counters: GCounter[] = [];
      for (const [node, amount] of sequence) {
        counters.push(gCounterIncrement(joinAll(gCounter, counters, {}), node, amount));
      }
      const total = sequence.reduce((sum, [, amount]) => sum + amount, 0);
      expect(gCounterValue(joinAll(gCounter, counters.toReversed(), {}))).toBe(total);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it("a counter stops at the largest safe integer instead of losing count", () => {
    const full = { a: Number.MAX_SAFE_INTEGER };
    expect(gCounterIncrement(full, "a", 5)).toEqual(full);
    expect(gCounterValue({ ...full, b: 7 })).toBe(Number.MAX_SAFE_INTEGER);
  });

  it("an add-remove set holds what was added after it was last removed", () => {
    const actions = fc.array(fc.tuple(valueKey, fc.boolean()), { maxLength: 10 });
    const property = fc.property(actions, (sequence) => {
      const expected = new Set<string>();
      let set = EMPTY_OR_SET;
      for (const [element, isAdded] of sequence) {
        set = orSet.merge(set, isAdded ? orSetAdd(set, element) : orSetRemove(set, element));
        if (isAdded) expected.add(element);
        else expected.delete(element);
      }
      expect(orSetElements(set)).toEqual([...expected].toSorted());
      for (const [element] of sequence) expect(orSetHas(set, element)).toBe(expected.has(element));
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it("of an add and a removal at the same time the add wins", () => {
    expect(orSetHas({ entries: { a: 3 }, tombstones: { a: 3 } }, "a")).toBe(true);
    expect(orSetHas({ entries: { a: 3 }, tombstones: { a: 4 } }, "a")).toBe(false);
    const map = { entries: { a: { value: 1, timestamp: 3 } }, tombstones: { a: 3 } };
    expect([orMapGet(map, "a"), orMapKeys(map)]).toEqual([1, ["a"]]);
    expect(orMapGet({ ...map, tombstones: { a: 4 } }, "a")).toBeUndefined();
  });

  it("an add-remove map has the keys that were put after they were last removed, with merged values", () => {
    const actions = fc.array(fc.tuple(valueKey, fc.option(fc.integer())), { maxLength: 10 });
    const numbers = orMap(maxReg);
    const property = fc.property(actions, (sequence) => {
      const everPut = new Map<string, number>();
      const present = new Set<string>();
      let map: Parameters<typeof numbers.merge>[0] = { entries: {}, tombstones: {} };
      for (const [key, put] of sequence) {
        map = numbers.merge(map, put === null ? orMapRemove(map, key) : orMapPut(map, key, put));
        if (put === null) present.delete(key);
        else present.add(key);
        if (put !== null) everPut.set(key, Math.max(put, everPut.get(key) ?? put));
      }
      expect(orMapKeys(map)).toEqual([...present].toSorted());
      for (const key of present) expect(orMapGet(map, key)).toBe(everPut.get(key));
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it("a growing set is sorted and has every item once, whatever the order of keys in its items", () => {
    const items = fc.array(fc.oneof(scalar, value), { maxLength: 8 });
    const property = fc.property(items, (list) => {
      const twice = [...list, ...list.map(reverseKeys)];
      expect(gSet.parse(twice)).toHaveLength(gSet.parse(list)?.length ?? -1);
    });
    fc.assert(property, { numRuns: RUNS });
  });
});

function joinAll<Value extends Json>(lattice: Lattice<Value>, values: readonly Value[], empty: Value): Value {
  return values.reduce((left, right) => lattice.merge(left, right), empty);
}

function reverseKeys(json: Json): Json {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  return Object.fromEntries(Object.entries(json).toReversed());
}
