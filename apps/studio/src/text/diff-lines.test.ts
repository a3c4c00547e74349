import fc from "fast-check";
import { expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";

const show = (before: readonly string[], after: readonly string[]): string =>
  diffLines(before, after)
    .map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`)
    .join(" ");

it("keeps the lines that edited arguments have in common with the model's", () => {
  expect(show(["{", "to: ann", "body: b", "}"], ["{", "to: bob", "body: b", "}"])).toBe(
    " { -to: ann +to: bob  body: b  }",
  );
});

it("leads from the one list of lines to the other", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      expect(diff.filter(({ kind }) => kind !== "added").map(({ text }) => text)).toEqual(before);
      expect(diff.filter(({ kind }) => kind !== "removed").map(({ text }) => text)).toEqual(after);
      if (before.join() === after.join()) expect(diff.every(({ kind }) => kind === "same")).toBe(true);
    }),
  );
});

it("shows only the new lines of texts that are too long to compare", () => {
  const long = Array.from({ length: 600 }, (_, index) => `${index}`);
  expect(diffLines(long, [...long, "x"]).every(({ kind }) => kind === "added")).toBe(true);
  expect(diffLines(long, long).every(({ kind }) => kind === "same")).toBe(true);
});
