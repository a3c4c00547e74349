import { describe, expect, it } from "vitest";
import {
  applyPatch,
  applyPatches,
  deepEqual,
  diff,
  gCounter,
  gCounterIncrement,
  gCounterValue,
  getAt,
  type Json,
  LatticeRegistry,
  maxReg,
  ops,
  orMap,
  orMapGet,
  orMapPut,
  orMapRemove,
  orSet,
  orSetAdd,
  orSetElements,
  orSetHas,
  orSetRemove,
  parsePatch,
  StateManager,
  toJsonPatch,
} from "../src/index.ts";
import { expectUnpolluted } from "./expect-unpolluted.ts";
import { canonicalText } from "./oracle/equality.ts";

expectUnpolluted();

/** As it comes over the wire: the only way for such keys to get into an object without an effort. */
const json = (text: string): Json => JSON.parse(text);

const HOSTILE = json('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}');
const TEXT = canonicalText(HOSTILE);

/** The same object with so many more keys: wide objects are copied by other means than narrow ones. */
function widened(count: number): Json {
  const keys = Array.from({ length: count }, (_, index) => [`key ${index}`, index] as const);
  return Object.fromEntries([...Object.entries(HOSTILE ?? {}), ...keys]);
}

function expectOwn(object: Json | undefined): void {
  expect(object).toSatisfy((value: object) => Object.getPrototypeOf(value) === Object.prototype);
  expect(Object.getOwnPropertyDescriptor(object, "__proto__")).toMatchObject({
    value: { polluted: 1 },
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

describe("an own __proto__ that came by JSON stays an own key", () => {
  it.each(["set", "append", "merge_object", "insert", "lattice_merge"] as const)("through %s", (op) => {
    const start = { at: op === "merge_object" ? {} : [] };
    const patch = parsePatch({ ops: [{ op, path: ["at"], value: HOSTILE, ...(op === "insert" && { index: 0 }) }] });
    for (const result of [
      applyPatch(start, patch),
      applyPatches(start, [patch]),
      new StateManager(start).commit({ ...patch, id: "1" }),
    ]) {
      const placed = getAt(result, op === "append" || op === "insert" ? ["at", 0] : ["at"]);
      expectOwn(placed);
      expect(canonicalText(placed ?? null)).toBe(TEXT);
    }
  });

  it.each([0, 14, 40, 200])("when its object, %i keys wider, is changed beside it", (count) => {
    const before = { at: widened(count) };
    const changes = [ops.set(["at", "new"], 1), ops.increment(["at", "a"]), ops.delete(["at", "a"])];
    const more = [ops.mergeObject(["at"], { "new too": 1 }), ops.set(["at", "deep", "er"], 1)];
    for (const op of [...changes, ...more]) expectOwn(getAt(applyPatch(before, { ops: [op] }), ["at"]));
    expectOwn(getAt(applyPatch(before, { ops: [...changes.slice(0, 2), ...more, ops.delete(["at", "a"])] }), ["at"]));
    expect(canonicalText(before.at)).toBe(canonicalText(widened(count)));
  });

  it("when merge_object brings another one, which replaces it whole", () => {
    const other = json('{"__proto__":{"other":2}}');
    const merged = getAt(applyPatch({ at: HOSTILE }, { ops: [ops.mergeObject(["at"], other)] }), ["at"]);
    expect(canonicalText(Object.getOwnPropertyDescriptor(merged, "__proto__")?.value)).toBe('{"other":2}');
  });

  it("through diff, wherever it differs, and remove finds it", () => {
    const other = json('{"__proto__":{"polluted":2},"a":1}');
    const pairs: readonly (readonly [Json, Json])[] = [
      [{}, HOSTILE],
      [HOSTILE, {}],
      [HOSTILE, other],
      [{ at: [HOSTILE, 1] }, { at: [1, other] }],
      [{ at: {} }, { at: json('{"__proto__":[]}') }],
    ];
    for (const [before, after] of pairs) {
      const found = { ops: diff(before, after) };
      expect(canonicalText(applyPatch(before, parsePatch(found)))).toBe(canonicalText(after));
    }
    const removed = applyPatch({ at: [other, HOSTILE] }, { ops: [ops.remove(["at"], json(TEXT))] });
    expect(canonicalText(removed)).toBe(canonicalText({ at: [other] }));
  });

  it("and is told apart from an empty object", () => {
    const own = json('{"__proto__":{}}');
    expect(deepEqual(own, {})).toBe(false);
    expect(deepEqual({}, own)).toBe(false);
    expect(deepEqual(own, { other: {} })).toBe(false);
    expect(diff({}, own)).not.toEqual([]);
    expect(diff(json('{"a":{"__proto__":{"b":1}}}'), json('{"a":{"__proto__":{"b":1}}}'))).toEqual([]);
  });

  it("through toJsonPatch, without a pointer that enters it", () => {
    const patch = toJsonPatch({ at: { b: 1 } }, { ops: [ops.mergeObject(["at"], HOSTILE), ops.set(["c"], HOSTILE)] });
    expect(patch.map(({ path }) => path)).toEqual(["/at", "/c"]);
    for (const operation of patch) expectOwn("value" in operation ? operation.value : undefined);
  });
});

describe.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])(
  "lattices know the name %s",
  (name) => {
    const named = (value: Json): Json => json(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);

    it("as a node of a counter", () => {
      const once = gCounterIncrement({}, name, 2);
      const twice = gCounter.merge(once, gCounterIncrement(once, name, 3));
      expect(canonicalText(twice)).toBe(canonicalText(named(5)));
      expect(gCounterValue(gCounter.merge({ other: 1 }, twice))).toBe(6);
      expect(gCounterValue(gCounter.merge(twice, { other: 1 }))).toBe(6);
    });

    it("as an element of a set", () => {
      const empty = { entries: {}, tombstones: {} };
      expect(orSetHas(empty, name)).toBe(false);
      const added = orSet.merge(empty, orSetAdd(empty, name));
      expect([orSetElements(added), orSetHas(added, name)]).toEqual([[name], true]);
      const removed = orSet.merge(added, orSetRemove(added, name));
      expect([orSetElements(removed), orSetHas(removed, name)]).toEqual([[], false]);
    });

    it("as a key of a map", () => {
      const map = orMap(maxReg);
      const empty = { entries: {}, tombstones: {} };
      expect(orMapGet(empty, name)).toBeUndefined();
      const put = map.merge(map.merge(empty, orMapPut(empty, name, 1)), orMapPut(empty, name, 3));
      expect(orMapGet(put, name)).toBe(3);
      const other = map.merge(put, orMapPut(put, "other", 0));
      expect(orMapGet(other, name)).toBe(3);
      expect(orMapGet(map.merge(other, orMapRemove(other, name)), name)).toBeUndefined();
    });

    it("through an operation on a document", () => {
      const lattices = new LatticeRegistry().register(["at"], gCounter);
      const merges = [
        ops.latticeMerge(["at"], named(1)),
        ops.latticeMerge(["at"], named(4)),
        ops.latticeMerge(["at"], named(2)),
      ];
      expect(canonicalText(applyPatch({}, { ops: merges }, lattices))).toBe(canonicalText({ at: named(4) }));
    });
  },
);

describe("inherited names are not part of a document", () => {
  it.each(["toString", "hasOwnProperty", "valueOf", "length", "0", "at"])("%s is missing until it is set", (name) => {
    for (const holder of [{}, [], [1], "text", 1, true, null] as const) {
      expect(getAt({ holder }, ["holder", name])).toBeUndefined();
      expect(applyPatch({ holder }, { ops: [ops.delete(["holder", name])] })).toEqual({ holder });
      expect(() => applyPatch({ holder }, { ops: [ops.increment(["holder", name])] })).toThrow("Path not found");
      const set = applyPatch({ holder }, { ops: [ops.set(["holder", name, "deep"], 1)] });
      expect(canonicalText(set)).toBe(canonicalText({ holder: { [name]: { deep: 1 } } }));
    }
  });

  it("nor are keys and indexes the same, even when they look alike", () => {
    expect(getAt({ list: ["a"] }, ["list", "0"])).toBeUndefined();
    expect(getAt({ object: { "0": "a" } }, ["object", 0])).toBeUndefined();
    expect(getAt({ text: "abc" }, ["text", 0])).toBeUndefined();
  });
});
