import { describe, expect, it } from "vitest";
import {
  applyPatch,
  deepEqual,
  diff,
  getAt,
  gSet,
  isJson,
  type Json,
  LatticeRegistry,
  ops,
  parsePatch,
  StateManager,
  toJsonPatch,
} from "../src/index.ts";
import { DOORS, everyOperationWith } from "./doors.ts";
import { asJson } from "./hostile-values.ts";
import { expectVerdicts, verdictOf } from "./verdict.ts";

const MANY = 200_000;
const wide: Readonly<Record<string, Json>> = Object.fromEntries(
  Array.from({ length: MANY }, (_, index) => [`key ${index}`, index]),
);
const long: readonly Json[] = Array.from({ length: MANY }, (_, index) => index);

/** Almost four thousand million holes; reading them all would take minutes. */
const sparse = asJson(new Array(4e9));
const sparseAfterStart = asJson(Object.assign(new Array(4e9), [1, 2, 3]));

describe.each(DOORS)("$name", ({ enter }) => {
  it("refuses arrays of billions of holes at once", () => {
    const attacks = [sparse, sparseAfterStart, { a: sparse }]
      .flatMap((value) => everyOperationWith(["list"], value))
      .map((op) => [op.op, () => enter(op)] as const);
    expectVerdicts(attacks, "SERIALIZATION", "MERGE_REQUIRES_OBJECT");
  });
});

describe("arrays of billions of holes", () => {
  it("are refused as a document, as a difference and as a list of operations", () => {
    expect(isJson(sparse)).toBe(false);
    expect(verdictOf(() => new StateManager(sparse))).toBe("SERIALIZATION");
    expect(verdictOf(() => diff({}, { a: sparse }))).toBe("SERIALIZATION");
    expect(verdictOf(() => parsePatch({ ops: sparse }))).toBe("SERIALIZATION");
  });
});

describe("an object of two hundred thousand keys", () => {
  it("is set, merged and changed", () => {
    const merged = applyPatch({ at: { old: 1 } }, { ops: [ops.mergeObject(["at"], wide)] });
    expect(Object.keys(getAt(merged, ["at"]) ?? {})).toHaveLength(MANY + 1);
    const changed = applyPatch(merged, { ops: [ops.increment(["at", "key 7"]), ops.delete(["at", "old"])] });
    expect(getAt(changed, ["at", "key 7"])).toBe(8);
    expect(deepEqual(getAt(changed, ["at"]) ?? null, { ...wide, "key 7": 8 })).toBe(true);
  });

  it("is compared and said as JSON Patch", () => {
    expect(diff({}, wide)).toHaveLength(MANY);
    expect(diff(wide, {})).toHaveLength(MANY);
    expect(toJsonPatch({ at: {} }, { ops: [ops.mergeObject(["at"], wide)] }).length).toBeGreaterThan(0);
  });
});

describe("an array of two hundred thousand items", () => {
  it("is appended to, inserted into and searched", () => {
    const patch = { ops: [ops.append(["at"], "x"), ops.insert(["at"], 0, "y"), ops.remove(["at"], MANY - 1)] };
    expect(getAt(applyPatch({ at: long }, patch), ["at"])).toHaveLength(MANY + 1);
  });

  it("is compared with itself turned round and, a tenth of it, with an empty one", () => {
    const some = long.slice(0, MANY / 10);
    const pairs = [
      [long, long.toReversed()],
      [[], long],
      // Items go one by one from the front, which costs the square of their number.
      [some, []],
    ] as const;
    for (const [before, after] of pairs) {
      expect(deepEqual(applyPatch(before, { ops: diff(before, after) }), after)).toBe(true);
    }
  });

  it("is a set that merges", () => {
    const lattices = new LatticeRegistry().register(["at"], gSet);
    const merged = applyPatch({ at: long }, { ops: [ops.latticeMerge(["at"], long.toReversed())] }, lattices);
    expect(getAt(merged, ["at"])).toHaveLength(MANY);
  });
});

describe("objects without a prototype", () => {
  const bare = (entries: object): Json => Object.assign(Object.create(null), entries);

  it("are values and documents like any other", () => {
    const document = bare({ at: bare({ list: [bare({ a: 1 })] }), count: 1 });
    expect(isJson(document)).toBe(true);
    const patch = {
      ops: [
        ops.set(["at", "new"], bare({ b: 2 })),
        ops.mergeObject(["at"], bare({ c: 3 })),
        ops.remove(["at", "list"], { a: 1 }),
        ops.increment(["count"]),
      ],
    };
    const result = applyPatch(document, parsePatch(patch));
    expect(deepEqual(result, { at: { list: [], new: { b: 2 }, c: 3 }, count: 2 })).toBe(true);
    expect(deepEqual(document, { at: { list: [{ a: 1 }] }, count: 1 })).toBe(true);
    expect(diff(document, { at: { list: [{ a: 1 }] }, count: 1 })).toEqual([]);
    expect(deepEqual(new StateManager(document).state, document)).toBe(true);
  });
});
