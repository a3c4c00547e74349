import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./json-schema.ts";
import { compilePattern, MAX_BACKTRACKED } from "./linear-pattern.ts";

/** Patterns of everyday schemas, and odd ones. */
const PATTERNS = [
  "^[a-z0-9_-]{1,8}$",
  "^(\\+\\d{1,3}\\s)?\\(?\\d{3}\\)?[\\s.-]\\d{3}$",
  "a|b|",
  "(?:ab|a)(?:c|bcd)(d*)$",
  "^(?<year>\\d{4})-(?<month>\\d\\d)$",
  "[^\\]\\\\-]+",
  "\\p{Lu}\\p{Ll}*",
  "\\u{1F600}|\\uD83D\\uDE01|\\x41|\\cJ|\\0",
  ".",
  "^$",
  "$^",
  "x*?y+?z??",
  "(a*)*b",
  "(?:){5}a{0}b{2,}",
  "^.{3,6}$",
  "\\.\\/\\^\\$\\|",
];

const texts = fc.string({ unit: fc.constantFrom(...("abcdxyz019AÉ-_+. ()/\\]^$|\n😀😁\u0000".match(/./gsu) ?? [])) });

describe("a pattern that is followed without going back", () => {
  it.each(PATTERNS)("fits the same texts as the engine's: %s", (source) => {
    const [linear, engine] = [compilePattern(source), new RegExp(source, "u")];
    const isSame = fc.property(texts, (text) => linear.test(text) === engine.test(text));
    void fc.assert(isSame, { numRuns: 300 });
  });

  it("fits the same texts as the engine's, whatever the pattern is made of", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "(?:ab|)", "^", "$", "(b|c)");
    const mark = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?");
    const term = fc.tuple(atom, mark).map(([what, often]) => (/^[\^$]/.test(what) ? what : what + often));
    const sequence = fc.array(term, { maxLength: 5 }).map((terms) => terms.join(""));
    const pattern = fc.array(sequence, { minLength: 1, maxLength: 3 }).map((choices) => choices.join("|"));
    const short = fc.string({ unit: fc.constantFrom("a", "b", "c", "1"), maxLength: 8 });
    const isSame = fc.property(pattern, fc.array(short), (source, all) => {
      const [linear, engine] = [compilePattern(source), new RegExp(source, "u")];
      return all.every((text) => linear.test(text) === engine.test(text));
    });
    void fc.assert(isSame, { numRuns: 500 });
  });

  it("is told apart from others of its schema", () => {
    const validate = compileSchema({ properties: { a: { pattern: "^x$" }, b: { pattern: "^y$" } } });
    expect(validate({ a: "x", b: "y" })).toBeUndefined();
    expect(validate({ a: "x", b: "x" })).toContain("/b must match");
  });

  it("refuses what is no pattern", () => expect(() => compilePattern("(")).toThrow(SyntaxError));
});

// No times: what goes back on a hundred thousand characters comes to no end within the limit of a test.
describe("issue 14.37: a pattern of a schema", () => {
  it.each([
    ["^(a+)+$", "a"],
    ["^(a|aa)+$", "a"],
    ["(x+x+)+y", "x"],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
    ["x?\\s+$", " "],
  ])("does not stall on the worst text: %s", (pattern, letter) => {
    const validate = compileSchema({ type: "string", pattern });
    expect(validate(`${letter.repeat(100_000)}!`)).toContain("must match pattern");
    const keys = compileSchema({ type: "object", patternProperties: { [pattern]: { type: "string" } } });
    expect(keys({ [`${letter.repeat(100_000)}!`]: "x" })).toBeUndefined();
  });

  it("fits no long text when it looks around or back, and short ones as ever", () => {
    const validate = compileSchema({ type: "string", pattern: "^(?=.*\\d)(?!.*\\s).{4,}$" });
    expect([validate("abc1"), validate("abcd")]).toEqual([undefined, expect.stringContaining("must match pattern")]);
    expect(validate("1".repeat(MAX_BACKTRACKED))).toBeUndefined();
    expect(validate("1".repeat(MAX_BACKTRACKED + 1))).toContain("must match pattern");
  });
});
