import {
  applyPatch,
  applyPatches,
  defineState,
  type Json,
  JsonWriter,
  LatticeRegistry,
  maxReg,
  type Op,
  type OpName,
  type Path,
  parseOp,
  parsePatch,
  parseTrackedPatch,
  StateManager,
  toJsonPatch,
} from "../src/index.ts";

/** A way for an operation to get into the engine. */
export interface Door {
  readonly name: string;
  enter(op: Op): unknown;
}

export const START: Json = { list: [1, "two", null], count: 1, object: { a: { b: 1 } } };

const lattices = new LatticeRegistry().register(["top"], maxReg);
const harmless: Op = { op: "set", path: ["harmless"], value: true };

/** Every way in. The parsing ones take what came from outside; the others trust the types, which an attacker does not. */
export const DOORS: readonly Door[] = [
  { name: "applyPatch", enter: (op) => applyPatch(START, { ops: [op] }) },
  { name: "applyPatch with more operations", enter: (op) => applyPatch(START, { ops: [harmless, op, harmless] }) },
  { name: "applyPatch with lattices", enter: (op) => applyPatch(START, { ops: [op] }, lattices) },
  { name: "applyPatches", enter: (op) => applyPatches(START, [{ ops: [harmless] }, { ops: [op] }]) },
  { name: "toJsonPatch", enter: (op) => toJsonPatch(START, { ops: [op] }) },
  { name: "StateManager.commit", enter: (op) => new StateManager(START).commit({ id: "1", ops: [op] }) },
  { name: "StateManager.commitBatch", enter: (op) => new StateManager(START).commitBatch([{ id: "1", ops: [op] }]) },
  { name: "JsonWriter", enter: (op) => applyPatch(START, writeWith(new JsonWriter(), op).build()) },
  { name: "JsonWriter below a path", enter: (op) => applyPatch({ at: START }, writeWith(below(), op).build()) },
  {
    name: "a writer of a defined state",
    enter: (op) => applyPatch({ at: START }, writeWith(stateWriter(), op).build()),
  },
  { name: "parseOp", enter: (op) => parseOp(op) },
  { name: "parsePatch", enter: (op) => parsePatch({ ops: [harmless, op] }) },
  { name: "parseTrackedPatch", enter: (op) => parseTrackedPatch({ id: "1", ops: [op] }) },
];

/** Doors that only check an operation, without a document. */
export const PARSERS: readonly string[] = ["parseOp", "parsePatch", "parseTrackedPatch"];

/** Doors that have a method for each operation, so that there is no way to say another. */
export const WRITERS: readonly string[] = ["JsonWriter", "JsonWriter below a path", "a writer of a defined state"];

/** One operation of every kind at a path. */
export function everyOperationAt(path: Path): readonly Op[] {
  return [{ op: "delete", path }, ...arithmeticAt(path, 1), ...everyOperationWith(path, {})];
}

export function arithmeticAt(path: Path, amount: number): readonly Op[] {
  return [
    { op: "increment", path, amount },
    { op: "decrement", path, amount },
  ];
}

/** One operation of every kind that carries a value. */
export function everyOperationWith(path: Path, value: Json): readonly Op[] {
  const names: readonly Exclude<OpName, "delete" | "increment" | "decrement" | "insert">[] = [
    ...(["set", "append", "merge_object", "remove", "lattice_merge"] as const),
  ];
  return [...names.map((op): Op => ({ op, path, value })), { op: "insert", path, index: 0, value }];
}

function below(): JsonWriter {
  return new JsonWriter().at(["at"]);
}

/** A state that is no object is written by a `JsonWriter` at its place. */
function stateWriter(): JsonWriter {
  return defineState({ path: "at", initial: (): Json[] => [] }).writer();
}

function writeWith(writer: JsonWriter, op: Op): JsonWriter {
  switch (op.op) {
    case "delete":
      return writer.delete(op.path);
    case "increment":
      return writer.increment(op.path, op.amount);
    case "decrement":
      return writer.decrement(op.path, op.amount);
    case "insert":
      return writer.insert(op.path, op.index, op.value);
    case "set":
      return writer.set(op.path, op.value);
    case "append":
      return writer.append(op.path, op.value);
    case "merge_object":
      return writer.mergeObject(op.path, op.value);
    case "remove":
      return writer.remove(op.path, op.value);
    case "lattice_merge":
      return writer.latticeMerge(op.path, op.value);
    default:
      return op satisfies never;
  }
}
