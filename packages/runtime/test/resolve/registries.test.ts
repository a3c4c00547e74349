import { expect, it } from "vitest";
import { createCompositeRegistry } from "../../src/resolve/composite-registry.ts";
import { createMapRegistry } from "../../src/resolve/registry.ts";

const local = createMapRegistry(new Map([["a", 1]]));
const first = createMapRegistry(
  new Map([
    ["b", 2],
    ["a", 20],
  ]),
);
const second = createMapRegistry(
  new Map([
    ["b", 300],
    ["c", 3],
  ]),
);

it("keeps what was in the map when it was made", () => {
  const values = new Map([["a", 1]]);
  const registry = createMapRegistry(values);
  values.set("b", 2).delete("a");
  expect([registry.get("a"), registry.get("b"), registry.ids(), registry.list()]).toEqual([1, undefined, ["a"], [1]]);
});

it("asks several registries in their order, so what is local cannot be replaced", () => {
  const all = createCompositeRegistry([local, first, second]);
  expect([all.get("a"), all.get("b"), all.get("c"), all.get("d")]).toEqual([1, 2, 3, undefined]);
});

it("lists every id of several registries once, with the value that counts", () => {
  const all = createCompositeRegistry([local, first, second]);
  expect(all.ids()).toEqual(["a", "b", "c"]);
  expect(all.list()).toEqual([1, 2, 3]);
});

it("sees what a source learns later", () => {
  const ids: string[] = [];
  const growing = {
    get: (id: string) => (ids.includes(id) ? 9 : undefined),
    ids: () => ids,
    list: () => ids.map(() => 9),
  };
  const all = createCompositeRegistry([local, growing]);
  expect(all.get("late")).toBeUndefined();
  ids.push("late");
  expect([all.get("late"), all.ids()]).toEqual([9, ["a", "late"]]);
});
