import fc from "fast-check";
import { expect, it } from "vitest";
import { createCatalogueFilter } from "../../src/resolve/catalogue-filter.ts";
import { compileGlob, findGlobProblem } from "../../src/spec/glob.ts";

/** The same grammar by other means: a pattern as a regular expression. */
function matchesByRegExp(pattern: string, id: string): boolean {
  const source = pattern.replaceAll(/\\(.)|(\*)|(.)/gs, (_, escaped?: string, star?: string, plain?: string) =>
    star === undefined ? (escaped ?? plain ?? "").replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : ".*",
  );
  return new RegExp(`^${source}$`, "s").test(id);
}

// Few letters, so that ids and patterns meet; the others mean something to other matchers.
const letter = fc.constantFrom("a", "b", "_", "/", ":", ".", "?", "[", "\n", "é");
const id = fc.string({ unit: fc.oneof(letter, fc.constantFrom("*", "\\")), maxLength: 8 });
const piece = fc.oneof(letter, fc.constant("*"), fc.constant("*"), fc.constantFrom("\\*", "\\\\", "\\a"));
const pattern = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));

it("matches what the same pattern as a regular expression matches", () => {
  let matched = 0;
  fc.assert(
    fc.property(pattern, id, (text, candidate) => {
      const expected = matchesByRegExp(text, candidate);
      if (expected) matched++;
      expect(compileGlob(text).matches(candidate)).toBe(expected);
    }),
    { numRuns: 3_000 },
  );
  expect(matched).toBeGreaterThan(100);
});

it("admits what is allowed by name or pattern and not excluded by either", () => {
  const names = fc.array(id, { maxLength: 4 });
  const patterns = fc.array(pattern, { maxLength: 3 });
  const lists = fc.record(
    { allowed: names, allowedPatterns: patterns, excluded: names, excludedPatterns: patterns },
    { requiredKeys: ["excluded", "excludedPatterns"] },
  );
  fc.assert(
    fc.property(lists, fc.array(id, { maxLength: 10 }), (given, candidates) => {
      const filter = createCatalogueFilter(given);
      const { allowed, allowedPatterns, excluded, excludedPatterns } = given;
      const isIn = (candidate: string, literals: readonly string[] = [], globs: readonly string[] = []) =>
        literals.includes(candidate) || globs.some((glob) => matchesByRegExp(glob, candidate));
      const listed = [...candidates, ...(allowed ?? []), ...excluded];
      for (const candidate of listed) {
        const isOpen = allowed === undefined && allowedPatterns === undefined;
        const isExcluded = isIn(candidate, excluded, excludedPatterns);
        expect(filter.excludes(candidate)).toBe(isExcluded);
        expect(filter.admits(candidate)).toBe((isOpen || isIn(candidate, allowed, allowedPatterns)) && !isExcluded);
      }
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ["*", "anything/at:all", true],
  ["*", "", true],
  ["ab", "ab", true],
  ["ab", "abc", false],
  ["b", "ab", false],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["*ab*ab*", "xab", false],
  ["fs_*_file", "fs_read_file", true],
  ["fs_*_file", "fs_file", false],
  ["a\\*", "a*", true],
  ["a\\*", "ab", false],
  ["a\\\\*", "a\\b", true],
  ["a?c", "abc", false],
  ["[ab]", "a", false],
  ["A*", "abc", false],
] as const)("pattern %j on %j: %j", (text, candidate, expected) => {
  expect(compileGlob(text).matches(candidate)).toBe(expected);
});

it.each([
  ["", "an empty pattern matches nothing"],
  ["a\\", 'the pattern "a\\\\" ends in a lone \\'],
  ["\\", 'the pattern "\\\\" ends in a lone \\'],
  ["a\\\\\\", 'the pattern "a\\\\\\\\\\\\" ends in a lone \\'],
])("refuses the pattern %j", (text, problem) => {
  expect(findGlobProblem(text)).toBe(problem);
});

it.each(["a", "*", "a\\\\", "\\*"])("accepts the pattern %j", (text) => {
  expect(findGlobProblem(text)).toBeUndefined();
});

it("takes no longer for a pattern full of stars", () => {
  const trap = compileGlob(`${"a*".repeat(40)}b`);
  expect(trap.matches("a".repeat(20_000))).toBe(false);
});
