import { describe, expect, it } from "vitest";
import { getAt, LatticeRegistry, maxReg, type Op, type Path, parsePath, path, StateError } from "../src/index.ts";
import { arithmeticAt, DOORS, everyOperationAt, everyOperationWith, PARSERS, START, WRITERS } from "./doors.ts";
import { expectUnpolluted } from "./expect-unpolluted.ts";
import * as hostile from "./hostile-values.ts";
import { asJson, asPath, BAD_INDEXES, NOT_JSON, NOT_SEGMENTS } from "./hostile-values.ts";
import { expectVerdicts } from "./verdict.ts";

expectUnpolluted();

describe.each(DOORS)("$name", ({ name, enter }) => {
  const attack = (label: string, ops: readonly Op[]) =>
    ops.map((op) => [`${op.op} ${label}`, () => enter(op)] as const);

  it("refuses reserved keys in a path, in every operation, whatever the document", () => {
    const attacks = hostile.RESERVED_PATHS.flatMap(([label, path]) => attack(label, everyOperationAt(path)));
    expectVerdicts(attacks, "INVALID_OPERATION");
  });

  it("refuses paths that have an impossible index or do not end", () => {
    const paths = [...hostile.BAD_INDEX_PATHS, ...hostile.ENDLESS_PATHS];
    expectVerdicts(
      paths.flatMap(([label, path]) => attack(label, everyOperationAt(path))),
      "INVALID_OPERATION",
    );
  });

  it("refuses a path with anything in it that is neither a key nor an index", () => {
    const attacks = NOT_SEGMENTS.flatMap(([label, segment]) =>
      [asPath(segment), asPath("object", segment, "a"), asPath("list", segment)].flatMap((path) =>
        attack(label, everyOperationAt(path)),
      ),
    );
    expectVerdicts(attacks, "INVALID_OPERATION", "SERIALIZATION");
  });

  it("refuses what is not JSON, as a value and inside a value", () => {
    const values = NOT_JSON.flatMap(([label, value]) =>
      [value, [value], { a: { b: value } }].map((hostile) => [label, asJson(hostile)] as const),
    );
    const attacks = values.flatMap(([label, value]) =>
      everyOperationWith(["list"], value).map((op) => [label, op] as const),
    );
    const isMerge = ([, op]: readonly [string, Op]): boolean => op.op === "merge_object";
    const others = attacks.filter((one) => !isMerge(one));
    expectVerdicts(
      others.flatMap(([label, op]) => attack(label, [op])),
      "SERIALIZATION",
    );
    // Some of these are no objects either.
    const merges = attacks.filter(isMerge).flatMap(([label, op]) => attack(label, [op]));
    expectVerdicts(merges, "SERIALIZATION", "MERGE_REQUIRES_OBJECT");
  });

  it("says where in the document the value is not JSON", () => {
    const value = asJson({ fine: 1, a: [0, { "b c": Number.NaN }] });
    for (const op of everyOperationWith(["list"], value).filter(({ op }) => op !== "append" && op !== "insert")) {
      expect(errorOf(() => enter(op)).path?.slice(-4)).toEqual(["list", "a", 1, "b c"]);
    }
  });

  if (!WRITERS.includes(name)) {
    it("refuses operations that there are not, inherited names among them", () => {
      const names = ["", "replace", "Set", "toString", "__proto__", "constructor"];
      // The cast is the attack: no typed caller can say these.
      const operations = names.map((op) => ({ op, path: ["a"], value: 1 }) as unknown as Op);
      expectVerdicts(attack("in place of an operation", operations), "INVALID_OPERATION");
    });
  }

  it("refuses amounts that arithmetic cannot keep exact", () => {
    const amounts = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, -(2 ** 60), 1e300];
    const attacks = amounts.flatMap((amount) => attack(`${amount}`, arithmeticAt(["count"], amount)));
    expectVerdicts(attacks, "INVALID_OPERATION");
  });

  it("refuses to insert at an index that no array can have", () => {
    const inserts = BAD_INDEXES.map((index): Op => ({ op: "insert", path: ["list"], index, value: 1 }));
    expectVerdicts(attack("list", inserts), "INVALID_OPERATION");
  });

  it("refuses an index beyond the array at once, however large, and deletes nothing there", () => {
    const indexes = [3, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1e9, Number.MAX_SAFE_INTEGER];
    for (const index of indexes) {
      const isBeyondInsert = index > 3;
      const writes = (["set", "append", "lattice_merge"] as const).map(
        (op): Op => ({ op, path: ["list", index], value: 1 }),
      );
      const inserts: readonly Op[] = isBeyondInsert ? [{ op: "insert", path: ["list"], index, value: 1 }] : [];
      const expected = PARSERS.includes(name) ? "passed" : "INDEX_OUT_OF_BOUNDS";
      expectVerdicts(attack(`${index}`, [...writes, ...inserts]), expected);
      expectVerdicts(attack(`${index}`, [{ op: "delete", path: ["list", index] }]), "passed");
    }
  });
});

describe.each<readonly [string, (path: Path) => unknown]>([
  ["getAt", (path) => getAt(START, path)],
  ["parsePath", (path) => parsePath(path)],
  ["path", (segments) => path(...segments)],
  ["LatticeRegistry.register", (path) => new LatticeRegistry().register(path, maxReg)],
])("%s", (_, read) => {
  it("refuses reserved keys, impossible indexes and paths that do not end", () => {
    const paths = [...hostile.RESERVED_PATHS, ...hostile.BAD_INDEX_PATHS, ...hostile.ENDLESS_PATHS];
    expectVerdicts(
      paths.map(([label, path]) => [label, () => read(path)]),
      "INVALID_OPERATION",
    );
  });

  it("refuses a path with anything in it that is neither a key nor an index", () => {
    expectVerdicts(
      NOT_SEGMENTS.map(([label, segment]) => [label, () => read(asPath(segment))]),
      "INVALID_OPERATION",
      "SERIALIZATION",
    );
  });
});

function errorOf(run: () => unknown): StateError {
  try {
    run();
  } catch (error) {
    if (StateError.is(error)) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}
