import type { Json } from "@reprise/state";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ArgumentValues } from "../tool-pattern/argument-values.ts";
import { parseToolPattern } from "../tool-pattern/tool-pattern.ts";
import { RuleIndex } from "./rule-index.ts";

function indexOf(sources: readonly string[]): RuleIndex<{ readonly pattern: ReturnType<typeof parseToolPattern> }> {
  return new RuleIndex(sources.map((source) => ({ pattern: parseToolPattern(source) })));
}

function candidatesOf(sources: readonly string[], given: Json): readonly string[] {
  return [...indexOf(sources).candidates(new ArgumentValues(given))].map(({ pattern }) => pattern.source);
}

/** Enough rules for an index, none of which fits the calls below. */
const OTHERS = Array.from({ length: 200 }, (_, number) => `t(command ~ "other ${number + 100}*")`);

it("tries only the rules whose rarest text a call contains, in their order", () => {
  const sources = [
    't(command ~ "git *")',
    ...OTHERS,
    't(command ~ "*commit*")',
    't(cwd = "/srv")',
    't(command !~ "a")',
  ];
  expect(candidatesOf(sources, { command: "git commit", cwd: "/home" })).toEqual([
    't(command ~ "git *")',
    't(command ~ "*commit*")',
    't(command !~ "a")',
  ]);
  expect(candidatesOf(sources, { command: "other 150" })).toContain(OTHERS[50]);
});

it("tries every rule on arguments that cannot be looked at", () => {
  expect(candidatesOf(OTHERS, { command: "x".repeat(100_001) })).toHaveLength(OTHERS.length);
});

it("leaves out no rule that fits", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "ab", "abc", " ", "*", "1"), { maxLength: 6 })
    .map((parts) => parts.join(""));
  const field = fc.constantFrom("x", "y.z", "*", "list[*]");
  const condition = fc
    .tuple(field, fc.constantFrom("=", "!=", "~", "!~", "=~"), text)
    .map(
      ([name, sign, value]) => `${name} ${sign} ${JSON.stringify(sign === "=~" ? value.replaceAll("*", "b?") : value)}`,
    );
  const pattern = fc.oneof(
    fc.array(condition, { minLength: 1, maxLength: 3 }).map((conditions) => `t(${conditions.join(", ")})`),
    text.filter((inside) => inside.trim() !== "").map((inside) => `t(${inside})`),
  );
  const given = fc.record({ x: text, y: fc.record({ z: text }), list: fc.array(text, { maxLength: 3 }) });
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 20 }), given, (sources, values) => {
      const tried = new Set(candidatesOf([...sources, ...OTHERS], values));
      const fitting = sources.filter(
        (source) => parseToolPattern(source).fitsArguments(new ArgumentValues(values)) !== false,
      );
      expect(fitting.filter((source) => !tried.has(source))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
