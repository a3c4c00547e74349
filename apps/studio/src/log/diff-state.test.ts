import { expect, it } from "vitest";
import { diffState, withoutOwnKeys } from "./diff-state.ts";

it("names every path that changed and who changed it", () => {
  const patches = [
    { source: "tool:add#c1", ops: [{ op: "set", path: ["notes", 1] }] },
    { source: "plugin:memory", ops: [{ op: "merge_object", path: ["memory"] }] },
  ];
  const version = { patches } as unknown as Parameters<typeof diffState>[2];
  const before = { notes: ["a"], memory: { size: 1 }, gone: true };
  const after = { notes: ["a", "b"], memory: { size: 2 } };
  expect(diffState(before, after, version)).toEqual([
    { path: ["notes", "1"], kind: "added", after: "b", by: "tool add" },
    { path: ["memory", "size"], kind: "changed", before: 1, after: 2, by: "plugin memory" },
    { path: ["gone"], kind: "removed", before: true, by: "runtime" },
  ]);
});

it("finds nothing in equal states, and leaves the runtime's own keys out", () => {
  expect(diffState({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
  expect(withoutOwnKeys({ __run: {}, mine: 1 })).toEqual({ mine: 1 });
});
