import { describe, expect, it } from "vitest";
import { applyPatch, defineState, gSet, type Json, StateRegistry } from "../index.ts";

const settings = defineState({
  path: "settings",
  initial: () => ({ theme: "light" }),
  actions: { paint: (state, theme: string) => ({ ...state, theme }) },
});
const progress = defineState({
  path: "progress",
  scope: "run",
  initial: () => 0,
  actions: { advance: (steps, by: number) => steps + by },
});
const notes = defineState({
  path: "notes",
  scope: "tool_call",
  initial: (): { seen: string[] } => ({ seen: [] }),
  fields: { seen: { lattice: gSet } },
  actions: { see: (state, item: string) => ({ seen: [...state.seen, item] }) },
});

const registry = new StateRegistry().register(settings).register(progress).register(notes);

describe("StateRegistry", () => {
  it("knows every state by name and by scope", () => {
    expect(registry.get("settings")).toBe(settings);
    expect(registry.get("absent")).toBeUndefined();
    expect(registry.list("run")).toEqual([progress]);
    expect(registry.list()).toHaveLength(3);
  });

  it("runs the reducer an action belongs to", () => {
    let document: Json = {};
    for (const action of [settings.paint("dark"), progress.advance(2), progress.advance(3)]) {
      const logged = registry.parseAction(JSON.parse(JSON.stringify(action)));
      document = applyPatch(document, registry.reduce(document, logged), registry);
    }
    expect(document).toEqual({ settings: { theme: "dark" }, progress: 5 });
  });

  it("refuses actions that no definition has", () => {
    expect(() => registry.parseAction({ state: "nope", action: "x", args: [] })).toThrow(
      'there is no state "nope"; registered: settings, progress, notes',
    );
    expect(() => registry.parseAction({ state: "settings", action: "x", args: [] })).toThrow("it has paint");
    expect(() => registry.parseAction({ state: "settings" })).toThrow("an action has the strings");
    expect(() => registry.parseAction({ state: "settings", action: "paint", args: [], extra: 1 })).toThrow("no field");
  });

  it("gives each tool call its own place, lattices included", () => {
    const first = applyPatch({}, registry.reduce({}, notes.see("b"), "call_1"), registry);
    const second = applyPatch(first, registry.reduce(first, notes.see("a"), "call_2"), registry);
    const third = applyPatch(second, registry.reduce(second, notes.see("a"), "call_1"), registry);
    expect(third).toEqual({
      __tool_call_scope: { call_1: { notes: { seen: ["a", "b"] } }, call_2: { notes: { seen: ["a"] } } },
    });
    expect(notes.read(third, "call_1").seen).toEqual(["a", "b"]);
    expect(registry.latticeAt(["__tool_call_scope", "any", "notes", "seen"])).toBe(gSet);
    expect(registry.latticeAt(["notes", "seen"])).toBeUndefined();
    expect(() => notes.read(third)).toThrow("its call id is needed");
    expect(() => notes.read(third, "__proto__")).toThrow("reserved");
  });

  it("clears what belongs to a run or to a tool call, and nothing else", () => {
    const document: Json = { settings: { theme: "x" }, progress: 3, __tool_call_scope: { a: {}, b: {} } };
    expect(applyPatch(document, registry.clearRun())).toEqual({
      settings: { theme: "x" },
      __tool_call_scope: { a: {}, b: {} },
    });
    expect(applyPatch(document, registry.clearToolCall("a"))).toMatchObject({ __tool_call_scope: { b: {} } });
  });

  it("refuses two states that share a path", () => {
    const inside = defineState({ path: "settings.theme", initial: () => "" });
    const same = defineState({ path: "settings", initial: () => "" });
    expect(() => registry.register(inside)).toThrow('"settings" and "settings.theme" share a path');
    expect(() => registry.register(same)).toThrow("share a path");
    expect(registry.register(settings).list()).toHaveLength(3);
  });
});
