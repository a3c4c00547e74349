import fc from "fast-check";
import { expect, it } from "vitest";
import { calculate } from "./calculate.ts";

it.each([
  ["12*7", 84],
  [" 1 + 2 * 3 ", 7],
  ["(1 + 2) * 3", 9],
  ["2^3^2", 512],
  ["-2^2", -4],
  ["2^-1", 0.5],
  ["10 % 4 - -1", 3],
  [".5 + 1.", 1.5],
  ["8/4/2", 1],
])("works out %s", (expression, value) => {
  expect(calculate(expression)).toBe(value);
});

it.each([
  ["", "A number is missing at the end."],
  ["1 +", "A number is missing at the end."],
  ["(1", "A closing parenthesis is missing at the end."],
  ["1 2", "This is not part of an expression: 2"],
  ["process.exit()", 'A number is missing at "process.ex".'],
  ["1/0", "1/0 has no value: it divides by zero or is too large."],
  [`${"(".repeat(60)}1${")".repeat(60)}`, "The expression is nested too deeply."],
])("refuses %s", (expression, message) => {
  expect(() => calculate(expression)).toThrow(message);
});

it("agrees with arithmetic on what is printed in parentheses", () => {
  const { tree } = fc.letrec<{ tree: { text: string; value: number } }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.integer({ min: 0, max: 999 }).map((value) => ({ text: String(value), value })),
      fc.tuple(tie("tree"), fc.constantFrom("+", "-", "*"), tie("tree")).map(([left, mark, right]) => ({
        text: `(${left.text} ${mark} ${right.text})`,
        value:
          mark === "+" ? left.value + right.value : mark === "-" ? left.value - right.value : left.value * right.value,
      })),
    ),
  }));
  fc.assert(fc.property(tree, ({ text, value }) => calculate(text) === value));
});
