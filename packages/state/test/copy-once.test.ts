import { describe, expect, it, vi } from "vitest";
import { Draft } from "../src/apply/draft.ts";
import { applyPatch, applyPatches, type Json, type Op, ops } from "../src/index.ts";

/** A container that counts how often its witness is read. No test asks for that one item, so every read is a copy. */
function counted<Container extends object>(container: Container, witness: string) {
  let copies = 0;
  const value = new Proxy(container, {
    get: (target, key, receiver) => {
      if (key === witness) copies++;
      return Reflect.get(target, key, receiver);
    },
  });
  return { value, copies: () => copies };
}

const countedObject = () => counted<Record<string, Json>>({ first: 1, witness: true }, "witness");
const countedArray = () => counted<Json[]>(["a", "b", "c", "witness"], "3");

const manySets: readonly Op[] = Array.from({ length: 50 }, (_, index) => ops.set(["node", `key ${index}`], index));
const manyChanges: readonly Op[] = [
  ...Array.from({ length: 20 }, (_, index) => ops.append(["list"], index)),
  ops.set(["list", 0], "first"),
  ops.insert(["list"], 1, "second"),
  ops.delete(["list", 0]),
];

describe("within one call a node is copied once", () => {
  it("when many operations of a patch write into one object", () => {
    const node = countedObject();
    const result = applyPatch({ node: node.value }, { ops: manySets });
    expect(Object.keys(Object(result).node)).toHaveLength(52);
    expect(node.copies()).toBe(1);
  });

  it("when many operations of a patch write into one array", () => {
    const list = countedArray();
    const result = applyPatch({ list: list.value }, { ops: manyChanges });
    expect(Object(result).list).toHaveLength(24);
    expect(list.copies()).toBe(1);
  });

  it("when many patches write into one object", () => {
    const node = countedObject();
    applyPatches(
      { node: node.value },
      manySets.map((op) => ({ ops: [op] })),
    );
    expect(node.copies()).toBe(1);
  });

  it("and is copied again in the next call, which must not write into the first result", () => {
    const node = countedObject();
    applyPatch({ node: node.value }, { ops: manySets });
    applyPatch({ node: node.value }, { ops: manySets });
    expect(node.copies()).toBe(2);
  });

  it("and nodes beside the written one are not copied at all", () => {
    const sibling = countedObject();
    const list = countedArray();
    const result = applyPatch({ sibling: sibling.value, list: list.value, node: {} }, { ops: manySets });
    expect(sibling.copies() + list.copies()).toBe(0);
    expect(Object(result).sibling).toBe(sibling.value);
  });

  // The copy itself shows nothing when it is copied again, but a draft notes every container that it makes.
  it.each<readonly [string, Json, readonly Op[]]>([
    ["an object", { node: wideObject(3_000) }, manySets.concat(manySets, manySets, manySets)],
    ["an array", { list: Array.from({ length: 100_000 }, (_, index) => index) }, appends(200)],
  ])("so many operations on %s copy it once, and what it is in once", (_, start, operations) => {
    const patches = operations.map((op) => ({ ops: [op] }));
    expect(copiesOf(() => applyPatch(start, { ops: operations }))).toBe(2);
    expect(copiesOf(() => applyPatches(start, patches))).toBe(2);
    // In calls of their own, each copies both.
    expect(copiesOf(() => patches.reduce((current: Json, patch) => applyPatch(current, patch), start))).toBe(
      2 * operations.length,
    );
  });
});

function wideObject(count: number): Json {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`wide ${index}`, index]));
}

function appends(count: number): readonly Op[] {
  return Array.from({ length: count }, (_, index) => ops.append(["list"], index));
}

/** How many containers were copied meanwhile. */
function copiesOf(run: () => unknown): number {
  const adopt = vi.spyOn(Draft.prototype, "adopt");
  try {
    run();
    return adopt.mock.calls.length;
  } finally {
    adopt.mockRestore();
  }
}
