import fc from "fast-check";
import { expect, it } from "vitest";
import { toJson } from "../../tables/stored-json.ts";
import { changeOf, changeRow } from "./row-change.ts";

const row = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "toString"), fc.jsonValue(), { maxKeys: 5 });

/** What the log would give back. */
function stored<Value>(value: Value): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

it("makes any row of any other, through what lies in the log", () => {
  fc.assert(
    fc.property(fc.option(row, { nil: undefined }), row, (before, after) => {
      const change = stored(changeOf(after, stored(before)));
      expect(toJson(sortKeys(changeRow(stored(before), change ?? {})))).toBe(toJson(sortKeys(stored(after))));
    }),
  );
});

function sortKeys(value: object): [string, unknown][] {
  return Object.entries(value).toSorted(([key], [other]) => (key < other ? -1 : 1));
}

it("writes only what is another, and nothing when nothing is", () => {
  const before = { same: { deep: [1] }, other: 1, gone: true };
  expect(changeOf({ same: { deep: [1] }, other: 2 }, before)).toEqual({ set: { other: 2 }, drop: ["gone"] });
  expect(changeOf({ ...before, left: undefined }, before)).toBeUndefined();
  expect(changeOf({}, undefined)).toBeUndefined();
});

it("refuses what JSON would leave out without a word", () => {
  for (const value of [() => {}, Symbol("s"), 1n]) {
    expect(() => changeOf({ row: { value } }, { row: {} })).toThrow();
  }
});
