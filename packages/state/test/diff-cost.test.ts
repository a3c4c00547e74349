import { describe, expect, it } from "vitest";
import { applyPatch, diff, type Json, ops } from "../src/index.ts";

/** Throws at every touch, so that a test shows whether somebody looked inside. */
function untouchable(): Json {
  const refuse = (): never => {
    throw new Error("Somebody looked inside.");
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse });
}

const COUNT = 100_000;
const numbers: readonly Json[] = Array.from({ length: COUNT }, (_, index) => index);

describe("diff does not enter what is the same reference", () => {
  it("as a value of a key", () => {
    const shared = untouchable();
    expect(diff({ shared, other: 1 }, { shared, other: 2 })).toEqual([ops.set(["other"], 2)]);
  });

  it("as an item before and after the change", () => {
    const [first, last] = [untouchable(), untouchable()];
    expect(diff([first, 1, last], [first, 2, last])).toHaveLength(1);
    expect(diff([first, last], [first, 1, last])).toEqual([ops.insert([], 1, 1)]);
    expect(diff([first, 1, last], [first, last])).toEqual([ops.delete([1])]);
  });

  it("as the whole document", () => {
    const shared = untouchable();
    expect(diff(shared, shared)).toEqual([]);
  });
});

describe("the operations of a diff between long arrays", () => {
  it("are one insert for one item put into the middle", () => {
    const after = numbers.toSpliced(COUNT / 2, 0, "new");
    expect(diff({ numbers }, { numbers: after })).toEqual([ops.insert(["numbers"], COUNT / 2, "new")]);
  });

  it("are one insert an item for many items put into one place", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `new ${index}`);
    expect(diff(numbers, numbers.toSpliced(COUNT / 2, 0, ...many))).toHaveLength(1_000);
    expect(diff(numbers, numbers.toSpliced(COUNT / 2, 1_000))).toHaveLength(1_000);
  });

  it("are one delete for one item taken from the middle", () => {
    const after = numbers.toSpliced(COUNT / 2, 1);
    expect(diff({ numbers }, { numbers: after })).toEqual([ops.delete(["numbers", COUNT / 2])]);
  });

  it("are one for an item put at the end, and one for an item taken from the front", () => {
    expect(diff(numbers, [...numbers, "new"])).toHaveLength(1);
    expect(diff(numbers, numbers.slice(1))).toEqual([ops.delete([0])]);
  });

  it("are few when a few items change far apart", () => {
    const after = numbers.toSpliced(COUNT - 10, 1).toSpliced(10, 0, "new");
    const found = diff(numbers, after);
    expect(applyPatch(numbers, { ops: found })).toEqual(after);
    expect(found.length).toBeLessThanOrEqual(2);
  });

  it("come in reasonable time also when nothing is common, or all is moved", () => {
    const before = numbers.slice(0, 5_000);
    for (const after of [before.map((number) => `${number}`), before.toReversed(), before.map(() => 0)]) {
      expect(applyPatch(before, { ops: diff(before, after) })).toEqual(after);
    }
  });
});
