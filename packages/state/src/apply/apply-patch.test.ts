import { describe, expect, it } from "vitest";
import { applyPatch, applyPatches, type Json, type Op, ops, StateError, type StateErrorCode } from "../index.ts";

const apply = (document: Json, ...operations: Op[]): Json => applyPatch(document, { ops: operations });

function failure(document: Json, op: Op): StateErrorCode {
  try {
    apply(document, op);
  } catch (error) {
    if (StateError.is(error)) return error.code;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe("set", () => {
  it("replaces the document at the root", () => {
    expect(apply({ a: 1 }, ops.set([], "new"))).toBe("new");
  });

  it("makes the objects it needs on the way, whatever stood there", () => {
    expect(apply({}, ops.set(["a", "b"], 1))).toEqual({ a: { b: 1 } });
    expect(apply({ a: null }, ops.set(["a", "b"], 1))).toEqual({ a: { b: 1 } });
    expect(apply({ a: "text" }, ops.set(["a", "b"], 1))).toEqual({ a: { b: 1 } });
    expect(apply({ a: [1, 2] }, ops.set(["a", "b"], 1))).toEqual({ a: { b: 1 } });
    expect(apply(null, ops.set(["a"], 1))).toEqual({ a: 1 });
  });

  it("enters arrays by index only, and only where there is an item", () => {
    expect(apply({ a: [{ b: 1 }] }, ops.set(["a", 0, "b"], 2))).toEqual({ a: [{ b: 2 }] });
    expect(failure({ a: [1] }, ops.set(["a", 1], 2))).toBe("INDEX_OUT_OF_BOUNDS");
    expect(failure({ a: {} }, ops.set(["a", 0], 2))).toBe("TYPE_MISMATCH");
    expect(failure({}, ops.set(["a", 0], 2))).toBe("TYPE_MISMATCH");
  });

  it("does not take an inherited member for a value of the document", () => {
    expect(apply({}, ops.set(["toString", "x"], 1))).toEqual({ toString: { x: 1 } });
  });
});

describe("delete", () => {
  it("leaves null at the root", () => {
    expect(apply({ a: 1 }, ops.delete([]))).toBeNull();
  });

  it("closes the gap in an array", () => {
    expect(apply({ a: [1, 2, 3] }, ops.delete(["a", 1]))).toEqual({ a: [1, 3] });
  });

  it("returns the same document when there is nothing to delete", () => {
    const document = { a: [1], b: "text" };
    for (const path of [["x"], ["a", 1], ["a", "0"], ["b", "c"], ["toString"], ["x", "y", 3]]) {
      expect(apply(document, ops.delete(path))).toBe(document);
    }
  });
});

describe("append", () => {
  it("makes the array and the way to it", () => {
    expect(apply({}, ops.append(["a", "b"], 1))).toEqual({ a: { b: [1] } });
    expect(apply({ a: [1] }, ops.append(["a"], [2]))).toEqual({ a: [1, [2]] });
  });

  it("refuses anything that is there and no array, null included", () => {
    expect(failure({ a: null }, ops.append(["a"], 1))).toBe("APPEND_REQUIRES_ARRAY");
    expect(failure({ a: {} }, ops.append(["a"], 1))).toBe("APPEND_REQUIRES_ARRAY");
  });
});

describe("merge_object", () => {
  it("merges one level and makes the object when it is absent", () => {
    expect(apply({ a: { b: { c: 1 }, d: 1 } }, ops.mergeObject(["a"], { b: { e: 2 } }))).toEqual({
      a: { b: { e: 2 }, d: 1 },
    });
    expect(apply({}, ops.mergeObject(["a"], { b: 1 }))).toEqual({ a: { b: 1 } });
  });

  it("refuses a target or a value that is no object", () => {
    expect(failure({ a: [] }, ops.mergeObject(["a"], {}))).toBe("MERGE_REQUIRES_OBJECT");
    expect(failure({ a: null }, ops.mergeObject(["a"], {}))).toBe("MERGE_REQUIRES_OBJECT");
    expect(failure({ a: {} }, ops.mergeObject(["a"], []))).toBe("MERGE_REQUIRES_OBJECT");
  });
});

describe("increment and decrement", () => {
  it("count with whole numbers and with fractions", () => {
    expect(apply({ n: 1 }, ops.increment(["n"]), ops.decrement(["n"], 5), ops.increment(["n"], 0.5))).toEqual({
      n: -2.5,
    });
  });

  it("need a number that is there", () => {
    expect(failure({}, ops.increment(["n"]))).toBe("PATH_NOT_FOUND");
    expect(failure({ n: "1" }, ops.increment(["n"]))).toBe("NUMERIC_OPERATION_ON_NON_NUMBER");
  });

  it("refuse to leave the safe integers", () => {
    const largest = Number.MAX_SAFE_INTEGER;
    expect(failure({ n: largest }, ops.increment(["n"]))).toBe("INVALID_OPERATION");
    expect(failure({ n: -largest }, ops.decrement(["n"]))).toBe("INVALID_OPERATION");
    expect(failure({ n: 0 }, ops.increment(["n"], largest + 1))).toBe("INVALID_OPERATION");
    expect(failure({ n: 2 ** 60 }, ops.decrement(["n"], 1))).toBe("INVALID_OPERATION");
    expect(failure({ n: 0 }, ops.increment(["n"], Number.NaN))).toBe("INVALID_OPERATION");
    expect(apply({ n: largest - 1 }, ops.increment(["n"]))).toEqual({ n: largest });
  });
});

describe("insert and remove", () => {
  it("insert up to the length of the array", () => {
    expect(apply({ a: [1, 3] }, ops.insert(["a"], 1, 2), ops.insert(["a"], 3, 4))).toEqual({ a: [1, 2, 3, 4] });
    expect(failure({ a: [] }, ops.insert(["a"], 1, 0))).toBe("INDEX_OUT_OF_BOUNDS");
    expect(failure({ a: [] }, ops.insert(["a"], -1, 0))).toBe("INVALID_OPERATION");
    expect(failure({}, ops.insert(["a"], 0, 0))).toBe("PATH_NOT_FOUND");
    expect(failure({ a: {} }, ops.insert(["a"], 0, 0))).toBe("TYPE_MISMATCH");
  });

  it("remove the first item that is deeply equal, or nothing", () => {
    const document = { a: [1, { x: [1], y: 2 }, { y: 2, x: [1] }] };
    expect(apply(document, ops.remove(["a"], { y: 2, x: [1] }))).toEqual({ a: [1, { y: 2, x: [1] }] });
    expect(apply(document, ops.remove(["a"], "absent"))).toBe(document);
    expect(failure({}, ops.remove(["a"], 0))).toBe("PATH_NOT_FOUND");
    expect(failure({ a: "text" }, ops.remove(["a"], 0))).toBe("TYPE_MISMATCH");
  });
});

describe("a patch", () => {
  it("applies whole or not at all", () => {
    const document = { n: 1, list: [1] };
    expect(() => apply(document, ops.append(["list"], 2), ops.increment(["absent"]))).toThrow(
      "Path not found: $.absent.",
    );
    expect(document).toEqual({ n: 1, list: [1] });
  });

  it("keeps the identity of everything it does not touch", () => {
    const document = { a: { x: {} }, b: { y: {} }, list: [{}, {}] };
    const after = apply(document, ops.set(["a", "z"], 1), ops.set(["list", 1, "k"], 2)) as typeof document;
    expect(after.b).toBe(document.b);
    expect(after.a.x).toBe(document.a.x);
    expect(after.list[0]).toBe(document.list[0]);
    expect(after.list[1]).not.toBe(document.list[1]);
  });

  it("never writes into a value that came with an operation", () => {
    const value = { nested: { n: 1 } };
    const patch = { ops: [ops.set(["a"], value), ops.increment(["a", "nested", "n"]), ops.set(["a", "more"], true)] };
    expect(applyPatches({}, [patch, patch])).toEqual({ a: { nested: { n: 2 }, more: true } });
    expect(value).toEqual({ nested: { n: 1 } });
  });

  it("copies a node once, however many operations of one call change it", () => {
    const wide = Array.from({ length: 1000 }, (_, index) => index);
    const copies = new Set<unknown>();
    const slice = Array.prototype.slice;
    const spliced = Array.prototype.toSpliced;
    Array.prototype.slice = function (this: unknown[], ...args) {
      if (this.length >= 1000) copies.add({});
      return slice.apply(this, args);
    };
    Array.prototype.toSpliced = function (this: unknown[], ...args: Parameters<typeof spliced>) {
      if (this.length >= 1000) copies.add({});
      return spliced.apply(this, args);
    };
    try {
      const patches = Array.from({ length: 50 }, (_, index) => ({
        ops: [ops.set(["wide", index], -1), ops.append(["wide"], index), ops.delete(["wide", 500])],
      }));
      applyPatches({ wide }, patches);
    } finally {
      Array.prototype.slice = slice;
      Array.prototype.toSpliced = spliced;
    }
    expect(copies.size).toBe(1);
  });

  it("reports an unknown operation", () => {
    const unknown = JSON.parse('{"op":"move","path":[]}') as Op;
    expect(failure({}, unknown)).toBe("INVALID_OPERATION");
  });
});
