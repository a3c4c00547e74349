import { describe, expect, it } from "vitest";
import { parseOp, parsePatch, parsePath, parseTrackedPatch } from "../src/index.ts";
import { expectUnpolluted } from "./expect-unpolluted.ts";
import { expectVerdicts } from "./verdict.ts";

expectUnpolluted();

const SET = { op: "set", path: ["a"], value: 1 };
const notObjects: readonly unknown[] = [null, undefined, 1, "set", true, [], [SET], Symbol("s"), 1n, () => SET];
const notLists: readonly unknown[] = [null, undefined, {}, "a", 1, { length: 1, 0: "a" }, new Set(["a"])];

const attacks = (parse: (input: unknown) => unknown, inputs: readonly unknown[]) =>
  inputs.map((input, index) => [`input ${index}`, () => parse(input)] as const);

describe("parseOp", () => {
  it("refuses what is not an object", () => {
    expectVerdicts(attacks(parseOp, notObjects), "SERIALIZATION");
  });

  it("refuses names that are no operation, inherited names among them", () => {
    const names = [
      "",
      "Set",
      "SET",
      "test",
      "replace",
      "toString",
      "__proto__",
      "constructor",
      1,
      null,
      ["set"],
      Symbol("s"),
    ];
    expectVerdicts(
      attacks(
        parseOp,
        names.map((op) => ({ ...SET, op })),
      ),
      "INVALID_OPERATION",
    );
    expectVerdicts(attacks(parseOp, [{ path: [], value: 1 }]), "INVALID_OPERATION");
  });

  it("refuses paths that are not lists of keys and indexes", () => {
    const paths = [...notLists, [null], [undefined], [[]], [{}], [true], [1n], [Symbol("s")], ["a", ["__proto__"]]];
    expectVerdicts(
      attacks(
        parseOp,
        paths.map((path) => ({ ...SET, path })),
      ),
      "SERIALIZATION",
    );
  });

  it("refuses missing, misspelt and surplus fields", () => {
    const incomplete = [
      { op: "set", path: [] },
      { op: "set", path: [], value: undefined },
      { op: "append", path: [] },
      { op: "increment", path: [] },
      { op: "insert", path: [], value: 1 },
      { op: "insert", path: [], index: 0 },
      { op: "delete" },
      { op: "delete", path: [], value: 1 },
      { op: "increment", path: [], amount: 1, value: 1 },
      { ...SET, extra: 1 },
      { ...SET, Value: 1 },
      JSON.parse('{"op":"set","path":["a"],"value":1,"__proto__":{"polluted":1}}'),
    ];
    expectVerdicts(attacks(parseOp, incomplete), "SERIALIZATION");
  });

  it("refuses operands of another type", () => {
    const operands = ["1", null, [1], { valueOf: () => 1 }, true, 1n].flatMap((operand) => [
      { op: "increment", path: ["n"], amount: operand },
      { op: "insert", path: ["list"], index: operand, value: 1 },
    ]);
    expectVerdicts(attacks(parseOp, operands), "SERIALIZATION");
  });

  it("does not take inherited fields for those of the sender", () => {
    const inheriting = [Object.create(SET), Object.assign(Object.create({ value: 1 }), { op: "set", path: [] })];
    expectVerdicts(attacks(parseOp, inheriting), "SERIALIZATION", "INVALID_OPERATION");
  });

  it("returns only known fields, in a plain object", () => {
    const bare = Object.assign(Object.create(null), SET);
    expect(parseOp(bare)).toStrictEqual(SET);
    expect(parseOp({ op: "insert", path: ["a"], index: 0, value: { b: [null] } })).toStrictEqual({
      op: "insert",
      path: ["a"],
      index: 0,
      value: { b: [null] },
    });
  });

  it("does not share the path with the sender, who could change it after the check", () => {
    const path = ["a"];
    const parsed = parseOp({ op: "delete", path });
    path[0] = "__proto__";
    expect(parsed.path).toEqual(["a"]);
  });
});

describe("parsePatch and parseTrackedPatch", () => {
  it("refuse what is not a patch", () => {
    const patches = [...notObjects, {}, ...notLists.map((ops) => ({ ops })), { ops: [], more: 1 }];
    expectVerdicts(attacks(parsePatch, patches), "SERIALIZATION");
    expectVerdicts(
      attacks(parsePatch, [{ ops: [SET, null] }, { ops: [SET, [SET]] }, { ops: new Array(2) }]),
      "SERIALIZATION",
    );
  });

  it("refuse a tracked patch with a provenance of the wrong type", () => {
    const wrong = [
      ...[{}, { id: "" }, { id: 1 }, { id: null }, { id: "1", source: 1 }, { id: "1", description: null }],
      ...[
        { id: "1", timestamp_ms: "1" },
        { id: "1", timestamp_ms: 1.5 },
        { id: "1", timestamp_ms: Number.NaN },
      ],
      { id: "1", more: true },
    ].map((provenance) => ({ ops: [SET], ...provenance }));
    expectVerdicts(attacks(parseTrackedPatch, wrong), "SERIALIZATION");
  });

  it("say which operation is wrong", () => {
    expect(() => parsePatch({ ops: [SET, SET, { ...SET, path: ["__proto__"] }] })).toThrow("ops[2]");
    expect(() => parseTrackedPatch({ id: "1", ops: [{ op: "nothing" }] })).toThrow("ops[0]");
  });

  it("accept what they returned", () => {
    const tracked = { id: "1", ops: [SET], source: "s", description: "d", timestamp_ms: 0 };
    expect(parseTrackedPatch(parseTrackedPatch(tracked))).toStrictEqual(tracked);
    expect(parsePatch(parsePatch({ ops: [SET] }))).toStrictEqual({ ops: [SET] });
  });
});

describe("parsePath", () => {
  it("refuses what is not a list of keys and indexes, and lists with holes", () => {
    expectVerdicts(attacks(parsePath, [...notLists, new Array(2), new Array(4e9), ["a", undefined]]), "SERIALIZATION");
  });

  it("keeps keys and indexes apart", () => {
    expect(parsePath(["0", 0, ""])).toStrictEqual(["0", 0, ""]);
  });
});
