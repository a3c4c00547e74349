import { describe, expect, it } from "vitest";
import { findImpureGlobals } from "./support/architecture/find-globals.ts";
import { readImports } from "./support/architecture/read-imports.ts";
import { tokenize } from "./support/architecture/tokenize.ts";

const textsOf = (source: string): readonly string[] => tokenize(source).map(({ kind, text }) => `${kind}:${text}`);
const globalsOf = (source: string): readonly string[] => findImpureGlobals(source).map(({ global }) => global);

describe("tokenize", () => {
  it("leaves comments out and keeps line numbers", () => {
    const tokens = tokenize("#!/usr/bin/env node\n// one\n/* two\n three */ word // four\nlast");
    expect(tokens.map(({ text, line }) => [text, line])).toEqual([
      ["word", 4],
      ["last", 5],
    ]);
  });

  it("reads strings with quotes, escapes and comment marks in them", () => {
    expect(textsOf(String.raw`"a // b" 'it\'s' "" x`)).toEqual([
      "string:a // b",
      String.raw`string:it\'s`,
      "string:",
      "word:x",
    ]);
  });

  it("ends an open quote with its line", () => {
    expect(textsOf("don't\nprocess")).toEqual(["word:don", "string:t", "word:process"]);
  });

  it("reads code inside templates, however deep", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample is a template
    const source = "`a ${first({ b: `c ${second} d` }, { e: {} })} f ${third} \\` ${'}'}` + fourth";
    const words = tokenize(source).filter(({ kind }) => kind === "word");
    expect(words.map(({ text }) => text)).toEqual(["first", "b", "second", "e", "third", "fourth"]);
    expect(tokenize(source).filter(({ text }) => text === "f" || text === "d")).toEqual([]);
  });

  it("tells a regular expression from a division", () => {
    expect(textsOf("a = /[/'\"]\\//g; b / c / d")).toEqual([
      ...["word:a", "punctuation:=", "regex:/[/'\"]\\//g", "punctuation:;"],
      ...["word:b", "punctuation:/", "word:c", "punctuation:/", "word:d"],
    ]);
    expect(textsOf("return /x'/; f(1) / 2")).toContain("regex:/x'/");
    expect(textsOf("return /x'/; f(1) / 2").at(-1)).toBe("number:2");
  });
});

describe("readImports", () => {
  const specifiersOf = (source: string) => readImports(source).map(({ specifier }) => specifier);

  it.each([
    ['import a from "x";', "x"],
    ['import { a, type B } from "x";', "x"],
    ['import * as a from "x";', "x"],
    ['import "x";', "x"],
    ['export { a } from "x";', "x"],
    ['export * from "x";', "x"],
    ['export * as a from "x";', "x"],
    ['export type { A } from "x";', "x"],
    ['const a = await import("x");', "x"],
    ["const a = await import(`x`);", "x"],
    ['type A = import("x").A;', "x"],
    ['import a\n  from\n  "x"', "x"],
    ['import data from "x" with { type: "json" };', "x"],
  ])("finds the module in %s", (source, specifier) => {
    expect(specifiersOf(source)).toEqual([specifier]);
  });

  it.each([
    '// import a from "x";',
    "const text = 'import a from \"x\"';",
    'const a = { from: "x" };',
    'export const from = "x";',
    'export { a };\nconst from = "x";',
    'export function from() { return "x"; }',
    "console.log(import.meta.url);",
    'registry.import("x");',
  ])("finds none in %s", (source) => {
    expect(specifiersOf(source)).toEqual([]);
  });

  it.each([
    ['import type { A } from "x";', true],
    ['import type A from "x";', true],
    ['export type { A } from "x";', true],
    ['import { type A } from "x";', false],
    ['import type from "x";', false],
    ['import type, { a } from "x";', false],
  ])("says whether only types are imported: %s", (source, typeOnly) => {
    expect(readImports(source)).toEqual([{ specifier: "x", typeOnly, line: 1 }]);
  });

  it("shows an import whose module is computed", () => {
    expect(specifiersOf('await import(name); await import("a" + name);')).toEqual([undefined, undefined]);
  });
});

describe("findImpureGlobals", () => {
  it.each([
    ["process.exit(1)", "process"],
    ["const bytes = Buffer.from(x)", "Buffer"],
    ["return Date.now();", "Date.now"],
    ['Date["now"]()', "Date.now"],
    ["new Date()", "new Date()"],
    ["new Date;", "new Date()"],
    ["const text = Date();", "new Date()"],
    ["Math.random()", "Math.random"],
    ["setTimeout(done, 5)", "setTimeout"],
    ["{ setTimeout(done, 5); }", "setTimeout"],
    ["list.forEach(console.log)", "console"],
    ["call(one, fetch)", "fetch"],
    ["call(one, fetch(url))", "fetch"],
    ["const tools = { fetch }", "fetch"],
    ["const tools = { load: fetch }", "fetch"],
    ["const now = ok ? performance : clock", "performance"],
    ["[...process.argv]", "process"],
    ["globalThis.process", "process"],
    ["globalThis?.crypto", "crypto"],
    ['globalThis["process"]', "process"],
    ["globalThis.Date.now()", "Date.now"],
    ["const { process } = host; use(globalThis)", "globalThis"],
    ["const { fetch: load } = globalThis", "globalThis"],
    ["AbortSignal.timeout(5)", "AbortSignal.timeout"],
    ["require('x')", "require"],
    ["import.meta.url", "import.meta"],
    ["await import(name)", "import(expression)"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample is a template
    ["`now: ${Date.now()}`", "Date.now"],
    ["type Load = typeof fetch", "fetch"],
  ])("finds the use in %s", (source, global) => {
    expect(globalsOf(source)).toContain(global);
  });

  it.each([
    "job.process(input); this.fetch(); env?.crypto.hash(text)",
    "// process.exit()\n/* fetch */",
    'const text = "process.env and `fetch`";',
    "const text = `setTimeout and console`;",
    "const row = { process: 1, fetch: two }.process",
    "interface Env { readonly crypto: Hash; performance?: Clock; fetch(url: string): Promise<string>; }",
    "const env = { fetch(url) { return url; }, async process() {}, get performance() { return 1; } };",
    "new Date(milliseconds); Date.parse(text); const dates: Date[] = []; value instanceof Date",
    "Math.max(1, 2); new AbortController().signal; AbortSignal.any([one])",
    "class Clock { #process = 1; read() { return this.#process; } }",
    "globalThis.structuredClone(value); queueMicrotask(next)",
    'await import("./lazy.ts")',
    "reprocess(); processAll(); fetchAll()",
  ])("finds none in %s", (source) => {
    expect(globalsOf(source)).toEqual([]);
  });

  it("tells the line", () => {
    expect(findImpureGlobals("one();\n\nfetch(url);")).toEqual([{ global: "fetch", line: 3 }]);
  });
});
