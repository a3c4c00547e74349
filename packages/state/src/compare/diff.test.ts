import { describe, expect, it } from "vitest";
import { diff, gSet, type Json, LatticeRegistry, toJsonPatch } from "../index.ts";

describe("diff", () => {
  it("names only what differs", () => {
    const before = { a: 1, b: { c: [1, 2, 3], d: "x" }, gone: true };
    const after = { a: 1, b: { c: [1, 2, 3, 4], d: "y" }, fresh: null };
    expect(diff(before, after)).toEqual([
      { op: "delete", path: ["gone"] },
      { op: "append", path: ["b", "c"], value: 4 },
      { op: "set", path: ["b", "d"], value: "y" },
      { op: "set", path: ["fresh"], value: null },
    ]);
  });

  it("finds items that moved up or down instead of rewriting all between them", () => {
    const items = Array.from({ length: 100 }, (_, id) => ({ id }));
    const shorter = items.filter(({ id }) => id !== 10 && id !== 90);
    expect(diff(items, shorter)).toEqual([
      { op: "delete", path: [10] },
      { op: "delete", path: [89] },
    ]);
    expect(diff(shorter, items)).toEqual([
      { op: "insert", path: [], index: 10, value: { id: 10 } },
      { op: "insert", path: [], index: 90, value: { id: 90 } },
    ]);
  });

  it("changes an item in place rather than replacing it", () => {
    expect(diff([{ a: 1, b: 2 }, 3], [{ a: 1, b: 9 }, 3])).toEqual([{ op: "set", path: [0, "b"], value: 9 }]);
  });

  it("does not enter what is the same reference", () => {
    const shared = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("entered");
        },
      },
    ) as Json;
    expect(diff({ shared, n: 1 }, { shared, n: 2 })).toEqual([{ op: "set", path: ["n"], value: 2 }]);
  });

  it("sets an object whole where a reserved key of it changes", () => {
    const after = JSON.parse('{"a":{"constructor":1,"b":2}}') as Json;
    expect(diff({ a: { b: 2 } }, after)).toEqual([{ op: "set", path: ["a"], value: { constructor: 1, b: 2 } }]);
  });

  it("merges where a lattice is registered", () => {
    const lattices = new LatticeRegistry().register(["seen"], gSet);
    expect(diff({ seen: ["a"] }, { seen: ["a", "b"] }, { lattices })).toEqual([
      { op: "lattice_merge", path: ["seen"], value: ["a", "b"] },
    ]);
  });

  it("sets where merging would not give the new value", () => {
    const lattices = new LatticeRegistry().register(["seen"], gSet);
    expect(diff({ seen: ["a", "b"] }, { seen: ["a"] }, { lattices })).toEqual([
      { op: "set", path: ["seen"], value: ["a"] },
    ]);
    expect(diff({ seen: null }, { seen: ["a"] }, { lattices })).toEqual([{ op: "set", path: ["seen"], value: ["a"] }]);
  });

  it("refuses a value that is not JSON instead of describing it wrongly", () => {
    expect(() => diff({ a: {} }, { a: new Map() as unknown as Json })).toThrow("an instance of Map is not plain JSON");
  });
});

describe("toJsonPatch", () => {
  it("says each operation in the words of RFC 6902", () => {
    const document = { n: 1, list: ["a", "b"], map: { x: 1 }, text: "t" };
    const patch = toJsonPatch(document, {
      ops: [
        { op: "increment", path: ["n"], amount: 2 },
        { op: "append", path: ["list"], value: "c" },
        { op: "insert", path: ["list"], index: 0, value: "z" },
        { op: "remove", path: ["list"], value: "b" },
        { op: "delete", path: ["list", 0] },
        { op: "merge_object", path: ["map"], value: { x: 2, "a/b~c": 3 } },
        { op: "set", path: ["text", "deep", "er"], value: true },
        { op: "set", path: ["new"], value: null },
        { op: "delete", path: ["absent"] },
        { op: "append", path: ["made", "here"], value: 1 },
      ],
    });
    expect(patch).toEqual([
      { op: "replace", path: "/n", value: 3 },
      { op: "add", path: "/list/-", value: "c" },
      { op: "add", path: "/list/0", value: "z" },
      { op: "remove", path: "/list/2" },
      { op: "remove", path: "/list/0" },
      { op: "replace", path: "/map/x", value: 2 },
      { op: "add", path: "/map/a~1b~0c", value: 3 },
      { op: "replace", path: "/text", value: { deep: { er: true } } },
      { op: "add", path: "/new", value: null },
      { op: "add", path: "/made", value: { here: [1] } },
    ]);
  });
});
