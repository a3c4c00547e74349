import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

/** The same value with its keys the other way round, everywhere. */
function turnKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, turnKeys(item)]),
  );
}

it("gives equal values equal text, whatever the order of their keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(turnKeys(value))).toBe(canonicalJson(value));
    }),
  );
});

it("is JSON of the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it("sorts many keys as it sorts few, and leaves out what is undefined", () => {
  const keys = Array.from({ length: 40 }, (_, index) => `k${(index * 7) % 40}`);
  const value = Object.fromEntries(keys.map((key) => [key, key === "k3" ? undefined : 1]));
  expect(Object.keys(JSON.parse(canonicalJson(value)))).toEqual(keys.filter((key) => key !== "k3").toSorted());
  expect(canonicalJson({ b: 1, a: undefined, c: [undefined, -0, Number.NaN] })).toBe('{"b":1,"c":[null,0,null]}');
});
