import { expect, it } from "vitest";
import type { Message } from "../api/types.ts";
import { alignRuns, textWithoutIds } from "./align-runs.ts";

const said = (text: string): Message => ({ id: text, role: "assistant", content: text, cursor: 0 }) as Message;
const rows = (left: readonly string[], right: readonly string[]) =>
  alignRuns(left.map(said), right.map(said)).map((row) => [row.left?.text, row.right?.text, row.isSame]);

it("puts equal steps beside each other when one run took a step more in between", () => {
  expect(rows(["look", "read", "answer"], ["look", "answer"])).toEqual([
    ["look", "look", true],
    ["read", undefined, false],
    ["answer", "answer", true],
  ]);
});

it("puts what differs between equal steps beside each other, by its order", () => {
  expect(rows(["a", "x", "y", "b"], ["a", "z", "b", "c"])).toEqual([
    ["a", "a", true],
    ["x", "z", false],
    ["y", undefined, false],
    ["b", "b", true],
    [undefined, "c", false],
  ]);
});

it("takes ids that were generated for no difference, and keeps which of them are the same", () => {
  const [one, other] = ["01a1f212-e63b-7f45-873e-1537c03cf49f", "02b1f212-e63b-7f45-873e-1537c03cf49f"];
  expect(rows([`Run ${one} is done.`], [`Run ${other} is done.`])).toEqual([
    [`Run ${one} is done.`, `Run ${other} is done.`, true],
  ]);
  expect(textWithoutIds([one, one])).toBe(textWithoutIds([other, other]));
  expect(textWithoutIds([one, one])).not.toBe(textWithoutIds([one, other]));
  expect(textWithoutIds(`${one}-s1-c0`)).not.toBe(textWithoutIds("order 1042"));
});
