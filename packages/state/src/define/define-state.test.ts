import { describe, expect, it } from "vitest";
import {
  applyPatch,
  applyPatches,
  computeTouched,
  defineState,
  detectConflicts,
  gSet,
  type Json,
  JsonWriter,
  maxReg,
  orSet,
  parseStateAction,
  type StandardSchema,
  StateRegistry,
  sliceOf,
} from "../index.ts";

type Todo = { title: string; done: boolean };

const todos = defineState({
  path: "todos",
  initial: (): Todo[] => [],
  actions: {
    add: (list, title: string) => [...list, { title, done: false }],
    finish: (list, index: number) => list.map((todo, at) => (at === index ? { ...todo, done: true } : todo)),
    keep: (list) => list,
  },
});

describe("actions", () => {
  it("are plain JSON that survives a log", () => {
    const action = todos.add("milk");
    expect(action).toEqual({ state: "todos", action: "add", args: ["milk"] });
    expect(parseStateAction(JSON.parse(JSON.stringify(action)))).toEqual(action);
  });

  it("know the state that made them, where they were made", () => {
    expect(sliceOf(todos.add("milk"))).toBe(todos);
    expect(sliceOf(JSON.parse(JSON.stringify(todos.add("milk"))))).toBeUndefined();
  });

  it("are lowered to the smallest operations that say what their reducer did", () => {
    const empty: Json = { other: 1 };
    const first = todos.reduce(empty, todos.add("milk"));
    expect(first.ops).toEqual([{ op: "set", path: ["todos"], value: [{ title: "milk", done: false }] }]);
    const document = applyPatch(empty, first);
    const second = todos.reduce(document, todos.add("bread"));
    expect(second.ops).toEqual([{ op: "append", path: ["todos"], value: { title: "bread", done: false } }]);
    expect(todos.reduce(applyPatch(document, second), todos.finish(1)).ops).toEqual([
      { op: "set", path: ["todos", 1, "done"], value: true },
    ]);
  });

  it("change nothing when their reducer returns the state it was given", () => {
    expect(todos.reduce({ todos: [] }, todos.keep()).ops).toEqual([]);
  });

  it("refuse arguments that are not JSON, at the call", () => {
    expect(() => todos.finish(Number.NaN)).toThrow(
      "Not valid JSON data at $.todos.finish[0]: NaN is not a JSON number.",
    );
  });

  it("leave out trailing arguments that were not given", () => {
    const note = defineState({
      path: "note",
      initial: () => "",
      actions: { write: (_, text: string, more?: string) => text + (more ?? "") },
    });
    expect(note.write("a", undefined)).toEqual({ state: "note", action: "write", args: ["a"] });
  });

  it("are refused by a state that does not have them", () => {
    const foreign = { state: "todos", action: "explode", args: [] };
    expect(() => todos.reduce({}, foreign)).toThrow('has no action "todos/explode"; it has add, finish, keep');
  });

  it("fail when a reducer returns something that is not JSON", () => {
    const broken = defineState({
      path: "at",
      initial: (): { at: Json } => ({ at: null }),
      actions: { now: () => ({ at: new Date(0) as unknown as Json }) },
    });
    expect(() => broken.reduce({}, broken.now())).toThrow("an instance of Date is not plain JSON");
    expect(() => broken.reduce({ at: { at: {} } }, broken.now())).toThrow("an instance of Date is not plain JSON");
  });
});

describe("a schema", () => {
  const positive: StandardSchema<number> = {
    "~standard": {
      validate: (value) =>
        typeof value === "number" && value >= 0
          ? { value }
          : { issues: [{ message: "must not be negative", path: ["n"] }] },
    },
  };

  it("guards what reducers return", () => {
    const stock = defineState({
      path: "stock",
      initial: () => 0,
      schema: positive,
      actions: { take: (n, by: number) => n - by },
    });
    expect(() => stock.reduce({ stock: 1 }, stock.take(2))).toThrow(
      'the state "stock" breaks its schema: n: must not be negative',
    );
    expect(stock.reduce({ stock: 3 }, stock.take(2)).ops).toEqual([{ op: "set", path: ["stock"], value: 1 }]);
  });

  it("guards the initial value", () => {
    expect(() => defineState({ path: "stock", initial: () => -1, schema: positive })).toThrow("must not be negative");
  });

  it("must answer at once", () => {
    const slow: StandardSchema<number> = { "~standard": { validate: async (value) => ({ value: Number(value) }) } };
    expect(() => defineState({ path: "stock", initial: () => 0, schema: slow })).toThrow("answers by a promise");
  });
});

type Profile = {
  name: string;
  nickname: string | null;
  visits: number;
  tags: string[];
  scores: Record<string, number>;
  seen: string[];
  secret: string;
  level: number;
  address: { city: string };
  audit: { createdBy: string; version: number };
};

const initialProfile = (): Profile => ({
  name: "",
  nickname: null,
  visits: 0,
  tags: [],
  scores: {},
  seen: [],
  secret: "none",
  level: 1,
  address: { city: "" },
  audit: { createdBy: "", version: 0 },
});

const profile = defineState({
  path: "app.profile",
  initial: initialProfile,
  fields: {
    name: { rename: "full_name" },
    seen: { lattice: gSet },
    secret: { skip: true },
    level: { default: () => 7 },
    address: { nested: { city: { rename: "town" } } },
    audit: { flatten: { createdBy: { rename: "created_by" } } },
  },
  actions: {
    rename: (state, name: string) => ({ ...state, name }),
    see: (state, item: string) => ({ ...state, seen: [...state.seen, item] }),
    move: (state, city: string) => ({ ...state, address: { city }, audit: { ...state.audit, version: 2 } }),
  },
});

describe("field options", () => {
  it("decide how a state is stored, and reads undo it", () => {
    const document = applyPatch({}, profile.reduce({}, profile.rename("Ada")));
    expect(document).toEqual({
      app: {
        profile: {
          full_name: "Ada",
          nickname: null,
          visits: 0,
          tags: [],
          scores: {},
          seen: [],
          level: 1,
          address: { town: "" },
          created_by: "",
          version: 0,
        },
      },
    });
    expect(profile.read(document)).toEqual({ ...initialProfile(), name: "Ada" });
  });

  it("give a missing field its default and a skipped one its initial value", () => {
    const read = profile.read({ app: { profile: { full_name: "Ada" } } });
    expect(read).toMatchObject({ name: "Ada", level: 7, secret: "none" });
  });

  it("keep fields that no option describes", () => {
    const document = { app: { profile: { full_name: "Ada", extra: [1] } } };
    expect(profile.read(document)).toMatchObject({ name: "Ada", extra: [1] });
    const patch = profile.reduce(document, profile.rename("Eve"));
    expect(applyPatch(document, patch)).toMatchObject({ app: { profile: { full_name: "Eve", extra: [1] } } });
  });

  it("turn changes of a lattice field into merges, so that parallel changes do not conflict", () => {
    const registry = new StateRegistry().register(profile);
    const left = profile.reduce({}, profile.see("a"));
    const right = profile.reduce({}, profile.see("b"));
    const document = applyPatches({}, [left, right], registry);
    expect(profile.read(document).seen).toEqual(["a", "b"]);

    const once = profile.reduce(document, profile.see("c"));
    expect(once.ops).toEqual([{ op: "lattice_merge", path: ["app", "profile", "seen"], value: ["a", "b", "c"] }]);
    const twice = profile.reduce(document, profile.see("d"));
    expect(detectConflicts(computeTouched(once), computeTouched(twice), registry)).toEqual([]);
    expect(profile.read(applyPatches(document, [twice, once], registry)).seen).toEqual(["a", "b", "c", "d"]);
  });

  it("reach renamed, nested and flattened fields", () => {
    const document = applyPatch({}, profile.reduce({}, profile.rename("Ada")));
    expect(profile.reduce(document, profile.move("Paris")).ops).toEqual([
      { op: "set", path: ["app", "profile", "address", "town"], value: "Paris" },
      { op: "set", path: ["app", "profile", "version"], value: 2 },
    ]);
  });
});

describe("a definition", () => {
  it("reports every broken rule at once", () => {
    const fields: object = {
      name: { rename: "scores" },
      tags: { lattice: gSet, nested: {} },
      address: { flatten: true, rename: "a" },
      audit: { lattice: orSet, flatten: true },
      nickname: { lattice: maxReg },
      scores: { lattice: orSet },
      visits: { flatten: true },
      level: { nested: {} },
      secret: { skip: true, rename: "s" },
      seen: { default: () => Number.NaN, rename: "__proto__" },
    };
    let message = "";
    try {
      defineState({ path: "p", initial: initialProfile, fields });
    } catch (error) {
      message = String(error);
    }
    for (const problem of [
      '$: two fields are stored under "scores"',
      "$.tags: lattice and nested exclude each other",
      "$.address: flatten and rename exclude each other",
      "$.audit: lattice and flatten exclude each other",
      "$.nickname: a lattice field cannot be optional",
      "$.scores: the initial value is no ORSet",
      "$.visits: flatten needs an object, the initial value is number",
      "$.level: nested needs an object, the initial value is number",
      "$.secret: a skipped field takes no option but default",
      '$.seen: "__proto__" cannot be a key',
    ]) {
      expect(message).toContain(problem);
    }
  });

  it("refuses paths, scopes and action names that cannot work", () => {
    const initial = (): number => 0;
    expect(() => defineState({ path: "", initial })).toThrow("empty key");
    expect(() => defineState({ path: "a..b", initial })).toThrow("empty key");
    expect(() => defineState({ path: "a.__proto__", initial })).toThrow("reserved");
    expect(() => defineState({ path: "__tool_call_scope.x", initial })).toThrow('say scope "tool_call"');
    expect(() => defineState({ path: "a", initial, scope: "forever" as "run" })).toThrow("thread or run or tool_call");
    expect(() => defineState({ path: "a", initial, actions: { read: (n) => n } })).toThrow('cannot be called "read"');
    expect(() => defineState({ path: "a", initial, fields: {} as never })).toThrow(
      "field options need a state that is an object",
    );
    expect(() => defineState({ path: "a", initial: () => Number.NaN })).toThrow("NaN is not a JSON number");
  });

  it("refuses a default that is not JSON", () => {
    const fields = { extra: { default: () => undefined } };
    expect(() => defineState({ path: "p", initial: (): { extra?: string } => ({}), fields: fields as never })).toThrow(
      "$.extra: the default is not JSON",
    );
  });
});

describe("the typed writer", () => {
  it("collects one patch over all kinds of fields", () => {
    const writer = profile.writer();
    writer.set("name", "Ada").none("nickname").push("tags", "x").insert("tags", 0, "w").insert("scores", "ada", 3);
    writer.increment("visits").decrement("visits", 3).delete("level").merge("seen", ["a"]);
    writer.nested("address").set("city", "Paris");
    writer.nested("audit").set("createdBy", "Eve").increment("version");
    const start = applyPatch({}, profile.reduce({}, profile.rename("")));
    const after = profile.read(applyPatch(start, writer.build(), new StateRegistry().register(profile)));
    expect(after).toEqual({
      name: "Ada",
      nickname: null,
      visits: -2,
      tags: ["w", "x"],
      scores: { ada: 3 },
      seen: ["a"],
      secret: "none",
      level: 7,
      address: { city: "Paris" },
      audit: { createdBy: "Eve", version: 1 },
    });
  });

  it("stores whole objects in their stored form", () => {
    const patch = profile
      .writer()
      .set("address", { city: "Rome" })
      .set("audit", { createdBy: "Eve", version: 3 })
      .build();
    expect(applyPatch({}, patch)).toEqual({
      app: { profile: { address: { town: "Rome" }, created_by: "Eve", version: 3 } },
    });
  });

  it("refuses what a field cannot do", () => {
    const writer = profile.writer();
    expect(() => writer.set("secret", "x")).toThrow("it is skipped, so it is not stored");
    expect(() => writer.merge("tags", [])).toThrow("it is not a lattice field");
    expect(() => writer.delete("audit")).toThrow("write its fields with nested()");
    expect(() => writer.set("audit", { createdBy: "", version: 0, stray: 1 } as never)).toThrow('has no field "stray"');
    expect(() => writer.push("tags", undefined as never)).toThrow("undefined is not JSON");
    expect(writer.build().ops).toEqual([]);
  });

  it("is a JsonWriter at its place for a state that is no object", () => {
    expect(todos.writer().append([], { title: "milk", done: false }).build().ops).toEqual([
      { op: "append", path: ["todos"], value: { title: "milk", done: false } },
    ]);
  });
});

describe("JsonWriter", () => {
  it("collects every operation, below a place if asked to", () => {
    const writer = new JsonWriter();
    writer.set(["user", "name"], "Alice").append(["user", "roles"], "admin");
    writer.at(["user"]).set(["logins"], 1).increment(["logins"]).decrement(["logins"], 2).mergeObject([], { a: 1 });
    writer.insert(["user", "roles"], 0, "first").remove(["user", "roles"], "admin").delete(["user", "a"]);
    writer.latticeMerge(["seen"], ["x"]);
    const patch = writer.build();
    writer.set(["later"], true);
    expect(applyPatch({}, patch)).toEqual({ user: { name: "Alice", roles: ["first"], logins: 0 }, seen: ["x"] });
  });
});
