import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { ArgumentValues } from "./argument-values.ts";
import { findPatternProblem, parseToolPattern } from "./tool-pattern.ts";

/** Whether a pattern fits a call. */
function fits(source: string, tool: string, given: Json = {}): boolean | undefined {
  const pattern = parseToolPattern(source);
  return pattern.tool.matches(tool) && pattern.fitsArguments(new ArgumentValues(given));
}

describe("the tool of a pattern", () => {
  it.each([
    ["read", "read", true],
    ["read", "reader", false],
    ["read_*", "read_file", true],
    ["read_*", "unread_file", false],
    ["*_file", "read_file", true],
    ["mcp__*__read", "mcp__a__b__read", true],
    ["r?ad", "read", true],
    ["r?ad", "rad", false],
    ["[rR]ead", "Read", true],
    ["[!r]ead", "read", false],
    ["v[0-9].*", "v1.x", true],
    ["/^db_/", "db_drop", true],
    ["/^db_/", "my_db_drop", false],
    ["/drop$|truncate/", "db_truncate_all", true],
    ["/a\\/b/", "a/b", true],
    ["Read", "read", false],
    ["read", "ｒead", false],
    ["*", "anything", true],
  ])("%s and %s: %s", (source, tool, expected) => {
    expect(fits(source, tool)).toBe(expected);
  });
});

describe("the arguments of a pattern", () => {
  it.each<[string, Json, boolean]>([
    ["t(*)", { a: 1, b: 2 }, true],
    ["t(npm *)", { command: "npm test" }, true],
    ["t(npm *)", { command: "npx test" }, false],
    ["t(npm *)", { command: "npm run x/y\nrm -rf /" }, true],
    ["t(npm test)", { command: "npm test; rm" }, false],
    ["t(*secret*)", { a: "x", b: { c: "a secret" } }, true],
    ['t({"a":1,"b":2})', { b: 2, a: 1 }, true],
    ['t(path = "/etc")', { path: "/etc", mode: 1 }, true],
    ['t(path = "/etc", mode = "1")', { path: "/etc", mode: 1 }, true],
    ['t(path = "/etc", mode = "2")', { path: "/etc", mode: 1 }, false],
    ['t(path ~ "/etc/*")', { path: "/etc/a/b" }, true],
    ['t(path !~ "/etc/*")', { path: "/home" }, true],
    ['t(path != "/etc")', { path: "/etc" }, false],
    ['t(path =~ "^/(etc|usr)(/|$)")', { path: "/usr/bin" }, true],
    ['t(path !=~ "^/etc")', { path: "/etc/a" }, false],
    ['t(path =~ "^npm test$")', { path: "npm test\nrm" }, false],
    ['t(missing != "x")', { path: "y" }, false],
    ['t(missing !~ "x*")', { path: "y" }, false],
    ['t(to.name = "ada")', { to: { name: "ada" } }, true],
    ['t(files[1] = "b")', { files: ["a", "b"] }, true],
    ['t(files[*].name ~ "*.key")', { files: [{ name: "a" }, { name: "b.key" }] }, true],
    ['t(files[*] != "a")', { files: ["a", "b"] }, true],
    ['t(files[*] != "a")', { files: ["a", "a"] }, false],
    ['t(headers.* = "secret")', { headers: { a: "x", b: "secret" } }, true],
    ['t(*.deep = "1")', { a: { deep: 1 } }, true],
    ['t(quote = "a\\"b")', { quote: 'a"b' }, true],
    ['t(path = "C:\\temp\\\\x")', { path: "C:\\temp\\x" }, true],
    ['t(flag = "true", none = "null")', { flag: true, none: null }, true],
    ['t(toString ~ "*")', { path: "x" }, false],
    ['t(constructor.name ~ "*")', { path: "x" }, false],
    ['t(length = "1")', ["a"], false],
    ["t(git commit -m *)", { command: 'git commit -m "a = b"' }, true],
  ])("%s and %j: %s", (source, given, expected) => {
    expect(fits(source, "t", given)).toBe(expected);
  });
});

it("counts what a pattern says: the tool first, then arguments, fields and operators", () => {
  const ordered = [
    "/t/",
    '/t/(a = "1")',
    "t*",
    't*(a = "1")',
    "t",
    "t(*)",
    "t(npm *)",
    "t(npm)",
    't(a ~ "1*", b =~ "1")',
    't(a ~ "1*", b = "1")',
    't(a = "1", b = "1", c = "1")',
  ];
  const counted = ordered.map((source) => parseToolPattern(source).specificity);
  expect(counted).toEqual(counted.toSorted((left, right) => left - right));
  expect(new Set(counted).size).toBe(ordered.length);
});

it.each([
  ["", "names no tool"],
  ["(x)", "names no tool"],
  [" t", "spaces"],
  ["t()", "empty parentheses"],
  ["t(x", 'does not end in ")"'],
  ["/t", 'no closing "/"'],
  ["/(?=t)/", "lookaround"],
  ["/(t)\\1/", "RE2"],
  ["t[a", 'no "]"'],
  ['t(a = "1)', "closing quote"],
  ['t(a = "1" b = "2")', "separated by commas"],
  ['t(a = "1", b)', "must be a condition"],
  ['t(a.[ = "1")', "is not a path"],
  ['t(a =~ "(")', "RE2"],
  ["x".repeat(2_001), "2000 characters"],
])("refuses %j", (source, problem) => {
  expect(findPatternProblem(source)).toContain(problem);
});

it("refuses a condition without quotes, which would deny nothing", () => {
  const problem = 'the value of a condition must be in quotes: to ~ "*@example.org"';
  expect(findPatternProblem("mail(to ~ *@example.org)")).toBe(problem);
  expect(findPatternProblem("bash(npm run *)")).toBeUndefined();
  expect(findPatternProblem("bash(KEY=1 node *)")).toBeUndefined();
});
