import { expectTypeOf, test } from "vitest";
import { defineState, gSet, type Immutable, maxReg, type OrSet, orSet, type StateAction } from "../index.ts";

interface Todo {
  title: string;
  done: boolean;
}

const todos = defineState({
  path: "todos",
  initial: (): Todo[] => [],
  actions: {
    add: (list, title: string) => [...list, { title, done: false }],
    toggle: (list, index: number) => list.map((todo, at) => (at === index ? { ...todo, done: !todo.done } : todo)),
    clear: () => [],
  },
});

interface Profile {
  name: string;
  nickname: string | null;
  note?: string;
  age: number;
  tags: string[];
  seen: string[];
  scores: Record<string, number>;
  members: OrSet;
  address: { city: string; zip: string };
}

const profile = defineState({
  path: "profile",
  scope: "run",
  initial: (): Profile => ({
    name: "",
    nickname: null,
    age: 0,
    tags: [],
    seen: [],
    scores: {},
    members: { entries: {}, tombstones: {} },
    address: { city: "", zip: "" },
  }),
  fields: {
    name: { rename: "full_name" },
    seen: { lattice: gSet },
    members: { lattice: orSet },
    address: { nested: { city: { rename: "town" } } },
  },
});

test("action creators take the arguments of their reducers", () => {
  expectTypeOf(todos.add).parameters.toEqualTypeOf<[title: string]>();
  expectTypeOf(todos.clear).parameters.toEqualTypeOf<[]>();
  expectTypeOf(todos.add("milk")).toEqualTypeOf<StateAction>();
  // @ts-expect-error: a title is a string
  todos.add(1);
});

test("readers get immutable values", () => {
  expectTypeOf(todos.read({})).toEqualTypeOf<Immutable<Todo[]>>();
  expectTypeOf(todos.read({})).toEqualTypeOf<readonly { readonly title: string; readonly done: boolean }[]>();
  // @ts-expect-error: a state is not changed in place
  profile.read({}).name = "x";
});

test("reducers cannot change the state they are given", () => {
  defineState({
    path: "list",
    initial: (): Todo[] => [],
    actions: {
      // @ts-expect-error: there is no push on an immutable list
      add: (list, title: string) => list.push({ title, done: false }) && list,
    },
  });
});

test("the writer knows the fields and their types", () => {
  const writer = profile.writer();
  writer.set("name", "Ada").none("nickname").push("tags", "x").insert("tags", 0, "y").insert("scores", "ada", 3);
  writer
    .increment("age")
    .decrement("age", 2)
    .delete("note")
    .merge("seen", ["a"])
    .nested("address")
    .set("city", "Paris");
  // @ts-expect-error: a name is a string
  writer.set("name", 1);
  // @ts-expect-error: there is no such field
  writer.set("nam", "x");
  // @ts-expect-error: a name cannot be null
  writer.none("name");
  // @ts-expect-error: only lists can be pushed to
  writer.push("name", "x");
  // @ts-expect-error: only numbers can be incremented
  writer.increment("name");
});

test("field options that exclude each other do not compile", () => {
  const initial = (): Profile => profile.initial();
  // @ts-expect-error: flatten and rename
  defineState({ path: "p", initial, fields: { address: { flatten: true, rename: "a" } } });
  // @ts-expect-error: lattice and nested
  defineState({ path: "p", initial, fields: { members: { lattice: orSet, nested: {} } } });
  // @ts-expect-error: an optional field cannot be a lattice
  defineState({ path: "p", initial, fields: { note: { lattice: maxReg } } });
  // @ts-expect-error: a nullable field cannot be a lattice
  defineState({ path: "p", initial, fields: { nickname: { lattice: maxReg } } });
  // @ts-expect-error: a list of strings is no register
  defineState({ path: "p", initial, fields: { tags: { lattice: maxReg } } });
});
