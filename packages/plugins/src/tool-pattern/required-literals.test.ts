import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, it } from "vitest";
import { requiredLiterals } from "./required-literals.ts";

it.each([
  ["^npm (run|exec) 7$", ["npm ", " 7"]],
  ["abc", ["abc"]],
  ["a\\.b", ["a.b"]],
  ["abc?d", ["ab", "d"]],
  ["abc+d", ["abc", "d"]],
  ["abc{2,3}d", ["ab", "d"]],
  ["ab*?c", ["a", "c"]],
  ["a[]b]c\\dd", ["a", "c", "d"]],
  ["a(?:bc)?d", ["a", "d"]],
  ["a|b", []],
  ["(?i)abc", []],
  ["\\Qa*\\E", []],
  ["\\x41bc", []],
  ["ä*b", ["b"]],
])("finds what every match of %s contains", (source, expected) => {
  expect(requiredLiterals(source)).toEqual(expected);
});

/** Pieces that expressions are made of, with those that change what stands before or after them. */
const PIECES =
  "a b c ab bc \\. \\d \\b [ab] [^a] [[:alpha:]] []b] ( (?: (?P<n> ) | ? * + +? *? {2} {0,1} {,2} { } . ^ $ ä - (?i) \\Q \\E \\x61".split(
    " ",
  );

it("never names a text that a match lacks", () => {
  let compared = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }),
      fc.array(fc.constantFrom(..."abcAB.1-{}ä,2]".split("")), { maxLength: 12 }),
      (pieces, signs) => {
        const source = pieces.join("");
        const text = signs.join("");
        let matches: boolean;
        try {
          matches = RE2JS.compile(source).test(text);
        } catch {
          return;
        }
        if (!matches) return;
        compared += 1;
        for (const literal of requiredLiterals(source)) expect(text).toContain(literal);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(compared).toBeGreaterThan(100);
});
