import { expect, it } from "vitest";
import { parseSource } from "./parse-source.ts";

const problems = (text: string, format: "yaml" | "json" = "yaml") =>
  parseSource(text, format).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

it("reads YAML and JSON into the same value", () => {
  const value = { a: [1, true, null, "x"], b: { c: "yes" } };
  expect(parseSource("a: [1, true, null, x]\nb:\n  c: yes\n", "yaml").value).toEqual(value);
  expect(parseSource(JSON.stringify(value, null, "\t"), "json").value).toEqual(value);
});

it("finds the place of a key, of an item, and of the object that lacks a key", () => {
  const { locate } = parseSource("a:\n  - b: 1\n  - c: &x { d: 2 }\ne: *x\n", "yaml");
  expect(locate(["a", 0, "b"])).toEqual({ line: 2, column: 5 });
  expect(locate(["a", 1])).toEqual({ line: 3, column: 5 });
  expect(locate(["a", 0, "missing"])).toEqual({ line: 2, column: 5 });
  expect(locate(["e", "d"])).toEqual({ line: 3, column: 13 });
});

it.each([
  ["a: 1\na: 2", ["2:1 A key is given twice."]],
  ["a: !custom 1", ["1:4 Unresolved tag: !custom."]],
  ["a: *nowhere", ["1:4 There is no anchor &nowhere."]],
  ["a: 1\n---\nb: 2", ["2:1 A file holds one document."]],
  ["? [a]\n: 1", ["1:3 A key must be a string."]],
  ["a: .inf\nb: .nan", ["1:4 This value is not JSON.", "2:4 This value is not JSON."]],
  ["a: !!binary aGk=", ["1:13 This value is not JSON."]],
  ["a: &x [*x]", ["1:8 The alias *x contains itself."]],
  ["__proto__: 1", ["1:1 The key `__proto__` is not allowed."]],
  ["", ["undefined:undefined The document is empty."]],
])("refuses %j and says where", (text, expected) => {
  expect(problems(text)).toEqual(expected);
});

it("refuses as JSON what only YAML allows", () => {
  expect(problems('{"a": 1,}', "json")).toEqual([
    expect.stringMatching(/^1:9 Expected double-quoted property name in JSON\.$/),
  ]);
  expect(problems('{"a": 1, "a": 2}', "json")).toEqual(["1:10 A key is given twice."]);
  expect(problems("a: 1", "json")).toHaveLength(1);
});

it("refuses a text that grows by its aliases", () => {
  const levels = Array.from({ length: 12 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`);
  const bomb = `l0: &l0 [${"x,".repeat(9)}]\n${levels.join("\n")}`;
  expect(problems(bomb)).toEqual([expect.stringContaining("more than 1000000 values")]);
});

it.each([
  "[".repeat(100_000),
  "- ".repeat(20_000),
  "{a: ".repeat(50_000),
  `${"[".repeat(66)}${"]".repeat(66)}`,
  "? ".repeat(10_000),
])("refuses what nests too deep (%#)", (text) => {
  expect(problems(text)).toEqual([expect.stringContaining("nests deeper than 64 levels")]);
});

it("refuses a text that is too long", () => {
  expect(problems("x".repeat(8_000_001))).toEqual([expect.stringContaining("at most 8000000 characters")]);
});
