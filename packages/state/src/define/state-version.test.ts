import { describe, expect, it } from "vitest";
import { applyPatch, defineState, getAt, type Json, maxReg, storedVersion } from "../index.ts";

const names = defineState({
  path: "app.names",
  initial: (): string[] => [],
  actions: { add: (list, name: string) => [...list, name] },
});

interface Person {
  readonly name: string;
  readonly age: number;
}

/** The same state two shapes later. */
const people = defineState({
  path: "app.names",
  version: 3,
  initial: (): Person[] => [],
  migrate: (stored, from) => (stored as string[]).map((name) => ({ name, age: from })),
  actions: { add: (list, name: string) => [...list, { name, age: 1 }], keep: (list) => list },
});

const OLD: Json = applyPatch({}, names.reduce({}, names.add("Ada")));

describe("issue 14.33: a state of an earlier version", () => {
  it("is read in today's shape before anything is written", () => {
    expect(people.read(OLD)).toEqual([{ name: "Ada", age: 1 }]);
    expect(storedVersion(people, OLD)).toBe(1);
  });

  it("is migrated by one patch that notes the version, and then no more", () => {
    const document = applyPatch(OLD, people.migrate(OLD));
    expect(getAt(document, ["app", "names"])).toEqual([{ name: "Ada", age: 1 }]);
    expect(storedVersion(people, document)).toBe(3);
    expect(people.migrate(document)).toEqual({ ops: [] });
    expect(people.read(document)).toEqual([{ name: "Ada", age: 1 }]);
  });

  it("is migrated by the first action, also by one that changes nothing else", () => {
    for (const [action, expected] of [
      [people.add("Eve"), ["Ada", "Eve"]],
      [people.keep(), ["Ada"]],
    ] as const) {
      const document = applyPatch(OLD, people.reduce(OLD, action));
      expect(people.read(document).map(({ name }) => name)).toEqual(expected);
      expect(storedVersion(people, document)).toBe(3);
    }
  });

  it("has the version noted where it is new, and only above the first", () => {
    expect(names.reduce({}, names.add("x")).ops).toHaveLength(1);
    const document = applyPatch({}, people.reduce({}, people.add("x")));
    expect(storedVersion(people, document)).toBe(3);
    expect(people.reduce(document, people.add("y")).ops).toHaveLength(1);
  });

  it("is migrated per tool call, and replaced whole where fields merge", () => {
    const old = defineState({ path: "seen", scope: "tool_call", initial: () => 0, actions: { up: (n) => n + 1 } });
    const today = defineState({
      path: "seen",
      scope: "tool_call",
      version: 2,
      initial: () => ({ top: 0 }),
      migrate: (stored) => ({ top: Number(stored) }),
      fields: { top: { lattice: maxReg } },
      actions: { set: (_, top: number) => ({ top }) },
    });
    const document = applyPatch({}, old.reduce({}, old.up(), "c1"));
    expect(today.read(document, "c1")).toEqual({ top: 1 });
    expect(today.read(document, "c2")).toEqual({ top: 0 });
    const after = applyPatch(document, today.reduce(document, today.set(5), "c1"));
    expect(today.read(after, "c1")).toEqual({ top: 5 });
    expect([storedVersion(today, after, "c1"), storedVersion(today, after, "c2")]).toEqual([2, undefined]);
  });

  it("of a later version is refused, not guessed at", () => {
    const document = applyPatch({}, people.reduce({}, people.add("x")));
    expect(() => names.read(document)).toThrow('"app.names" was stored by version 3 of it; this program knows 1');
    expect(() => names.reduce(document, names.add("y"))).toThrow("was stored by version 3");
  });

  it("takes only a migration that fits the schema and is JSON", () => {
    const broken = defineState({
      path: "app.names",
      version: 2,
      initial: (): Json => null,
      migrate: () => new Date(0) as unknown as Json,
    });
    expect(() => broken.read(OLD)).toThrow("an instance of Date is not plain JSON");
  });
});

describe("a definition with versions", () => {
  const initial = (): number => 0;

  it("needs a migration above the first version, and takes none below", () => {
    expect(() => defineState({ path: "a", initial, version: 2 })).toThrow("version 2 needs migrate");
    expect(() => defineState({ path: "a", initial, migrate: () => 1 })).toThrow("migrate needs a version above 1");
    expect(() => defineState({ path: "a", initial, version: 0 })).toThrow("the version must be 1, 2, … (got 0)");
    expect(() => defineState({ path: "__state_versions.a", initial })).toThrow("versions are noted there");
  });
});
