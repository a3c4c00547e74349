import fc from "fast-check";
import { expect, it } from "vitest";
import { type JsonMeasure, measureJson } from "./measure-json.ts";

/** The same, from the value. */
function measureValue(value: unknown): JsonMeasure {
  if (typeof value !== "object" || value === null) return { depth: 0, keys: 0 };
  const parts = Object.values(value).map(measureValue);
  const own = Array.isArray(value) ? 0 : parts.length;
  return {
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    keys: parts.reduce((sum, { keys }) => sum + keys, own),
  };
}

it("says of a text what is true of its value", () => {
  const odd = fc.string({ unit: fc.constantFrom("\\", '"', "{", "}", "[", "]", ":", ",", "a", "\n") });
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      odd,
      fc.jsonValue(),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(odd, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, fc.integer({ min: 0, max: 2 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(measureJson(text)).toEqual(measureValue(JSON.parse(text)));
    }),
    { numRuns: 200 },
  );
});

it("takes any text, JSON or not", () => {
  fc.assert(fc.property(fc.string(), (text) => measureJson(text).keys >= 0));
  expect(measureJson('{"a')).toEqual({ depth: 1, keys: 0 });
  expect(measureJson("]]]]")).toEqual({ depth: 0, keys: 0 });
});

it("comes to the end of bombs that take for ever when anything in them is looked at twice", () => {
  expect(measureJson("[".repeat(1_000_000)).depth).toBe(1_000_000);
  expect(measureJson(`"${"\\".repeat(1_000_000)}"`).depth).toBe(0);
  expect(measureJson(`"${'\\"'.repeat(500_000)}"`).depth).toBe(0);
});
