import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallMatch } from "../case/expectations.ts";
import { findCallProblem } from "./match-calls.ts";

const calls = (names: string) =>
  names
    .split(" ")
    .filter((tool) => tool !== "")
    .map((tool) => ({ tool, arguments: { at: 1 } }));
const fits = (match: CallMatch, expected: string, actual: string): boolean =>
  findCallProblem(match, calls(expected), calls(actual)) === undefined;

describe("the match of calls", () => {
  it.each([
    ["exact", "a b", "a b", true],
    ["exact", "a b", "b a", false],
    ["exact", "a b", "a b b", false],
    ["exact", "a b", "a", false],
    ["in_order", "a b", "x a x b", true],
    ["in_order", "a b", "b a", false],
    ["any_order", "a b", "b x a", true],
    ["any_order", "a a", "a", false],
    ["subset", "a b", "b", true],
    ["subset", "a b", "", true],
    ["subset", "a b", "b b", false],
  ] as const)("%s of %j with %j: %s", (match, expected, actual, wanted) => {
    expect(fits(match, expected, actual)).toBe(wanted);
  });

  it("compares only the arguments that are expected, at any depth", () => {
    const actual = [{ tool: "a", arguments: { user: { id: 1, name: "x" }, list: [1, 2] } }];
    const problem = (given: object) => findCallProblem("exact", [{ tool: "a", arguments: given as never }], actual);
    expect(problem({ user: { id: 1 } })).toBeUndefined();
    expect(problem({ list: [1] })).toBeDefined();
    expect(problem({ user: { id: 2 } })).toBeDefined();
    expect(problem({ user: { age: 2 } })).toBeDefined();
  });

  it("gives a narrow expectation the one call that fits it, whatever a vague one before could take", () => {
    const expected = [{ tool: "a" }, { tool: "a", arguments: { n: 1 } }];
    const actual = [
      { tool: "a", arguments: { n: 1 } },
      { tool: "a", arguments: { n: 2 } },
    ];
    expect(findCallProblem("any_order", expected, actual)).toBeUndefined();
    expect(findCallProblem("subset", expected, actual)).toBeUndefined();
  });

  it("is kept by the calls themselves, and exact implies every other match", () => {
    const names = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 }).map((list) => list.join(" "));
    fc.assert(
      fc.property(names, names, (expected, actual) => {
        if (!fits("exact", expected, actual)) return expected !== actual;
        return (["in_order", "any_order", "subset"] as const).every((match) => fits(match, expected, actual));
      }),
    );
  });
});
