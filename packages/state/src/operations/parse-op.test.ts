import { describe, expect, it } from "vitest";
import { applyPatch, parseOp, parsePatch, parseTrackedPatch, StateError } from "../index.ts";

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (StateError.is(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error("It was accepted.");
}

describe("parseOp", () => {
  it.each([
    { op: "set", path: ["a", 0], value: { b: [1] } },
    { op: "delete", path: [] },
    { op: "append", path: ["a"], value: null },
    { op: "merge_object", path: ["a"], value: {} },
    { op: "increment", path: ["a"], amount: 1 },
    { op: "decrement", path: ["a"], amount: 0.5 },
    { op: "insert", path: ["a"], index: 0, value: 1 },
    { op: "remove", path: ["a"], value: 1 },
    { op: "lattice_merge", path: ["a"], value: ["x"] },
  ])("accepts the wire form of $op", (op) => {
    expect(parseOp(JSON.parse(JSON.stringify(op)))).toEqual(op);
  });

  it.each<[input: unknown, refusal: string]>([
    [null, "SERIALIZATION: Not valid JSON data: an operation is an object."],
    [[], "SERIALIZATION: Not valid JSON data: an operation is an object."],
    [
      { op: "move", path: [] },
      'INVALID_OPERATION: Invalid operation: "move" is not an operation; there are set, delete, append, merge_object, increment, decrement, insert, remove, lattice_merge.',
    ],
    [{ op: "set", value: 1 }, "SERIALIZATION: Not valid JSON data: a path is an array of strings and integers."],
    [
      { op: "set", path: "a.b", value: 1 },
      "SERIALIZATION: Not valid JSON data: a path is an array of strings and integers.",
    ],
    [
      { op: "set", path: [true], value: 1 },
      "SERIALIZATION: Not valid JSON data: a path holds only strings and integers.",
    ],
    [{ op: "set", path: ["a"] }, 'SERIALIZATION: Not valid JSON data at $.a: "set" needs the field "value".'],
    [{ op: "set", path: ["a"], vlaue: 1 }, 'SERIALIZATION: Not valid JSON data: "set" has no field "vlaue".'],
    [{ op: "increment", path: ["a"], amount: "1" }, 'SERIALIZATION: Not valid JSON data at $.a: "amount" is a number.'],
    [
      { op: "set", path: ["a"], value: { b: [1, Number.NaN] } },
      "SERIALIZATION: Not valid JSON data at $.a.b[1]: NaN is not a JSON number.",
    ],
    [
      { op: "merge_object", path: ["a"], value: 1 },
      "MERGE_REQUIRES_OBJECT: Cannot merge at $.a: the value to merge is number, not an object.",
    ],
    [
      { op: "set", path: ["__proto__", "x"], value: 1 },
      'INVALID_OPERATION: Invalid operation at $.__proto__.x: "__proto__" is reserved and cannot be a path segment.',
    ],
    [
      { op: "delete", path: ["a", 1.5] },
      "INVALID_OPERATION: Invalid operation at $.a[1.5]: an array index must be a non-negative safe integer, not 1.5.",
    ],
  ])("refuses %j and says why", (input, message) => {
    expect(refusal(() => parseOp(input))).toBe(message);
  });

  it("keeps only what it checked", () => {
    const parsed = parseOp(JSON.parse('{"op":"set","path":["a"],"value":{"__proto__":{"x":1}}}'));
    const document = applyPatch({}, { ops: [parsed] });
    expect(JSON.stringify(document)).toBe('{"a":{"__proto__":{"x":1}}}');
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe("parsePatch", () => {
  it("names the operation that is wrong", () => {
    const input = {
      ops: [
        { op: "delete", path: ["a"] },
        { op: "increment", path: ["n"] },
      ],
    };
    expect(refusal(() => parsePatch(input))).toBe(
      'SERIALIZATION: ops[1]: Not valid JSON data at $.n: "increment" needs the field "amount".',
    );
  });

  it("refuses what is not a patch", () => {
    for (const input of [null, [], {}, { ops: {} }, { ops: [], extra: 1 }]) {
      expect(refusal(() => parsePatch(input))).toContain("SERIALIZATION");
    }
  });
});

describe("parseTrackedPatch", () => {
  it("keeps the provenance and nothing else", () => {
    const patch = { id: "p1", ops: [], source: "tool:add", description: "adds", timestamp_ms: 17 };
    expect(parseTrackedPatch(patch)).toEqual(patch);
    expect(parseTrackedPatch({ id: "p1", ops: [] })).toEqual({ id: "p1", ops: [] });
  });

  it("refuses a patch without an id or with a strange time", () => {
    expect(refusal(() => parseTrackedPatch({ ops: [] }))).toContain('needs an "id"');
    expect(refusal(() => parseTrackedPatch({ id: "p", ops: [], timestamp_ms: 1.5 }))).toContain("timestamp_ms");
    expect(refusal(() => parseTrackedPatch({ id: "p", ops: [], source: 1 }))).toContain('"source" is a string');
  });
});
