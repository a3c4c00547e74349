import { assertItem, assertJson } from "../document/assert-json.ts";
import { isObject, type Json, typeName } from "../document/json.ts";
import { assertIndex, assertPath, type Path, type Segment } from "../document/path.ts";
import { invalidOperation, mergeRequiresObject, serialization } from "../document/state-error.ts";
import { assertAmount } from "./amount.ts";
import type { Op, OpName } from "./op.ts";
import { assertFields, ownField, type UntrustedRecord, untrustedRecord } from "./untrusted-record.ts";

type Operand = "value" | "amount" | "index";

/** The fields of each operation besides `op` and `path`. */
const OPERANDS: Readonly<Record<OpName, readonly Operand[]>> = {
  set: ["value"],
  delete: [],
  append: ["value"],
  merge_object: ["value"],
  increment: ["amount"],
  decrement: ["amount"],
  insert: ["index", "value"],
  remove: ["value"],
  lattice_merge: ["value"],
};

/** Checks an operation that came from outside. Throws an error that says which part is wrong; never repairs. */
export function parseOp(input: unknown): Op {
  const record = untrustedRecord(input, "an operation");
  const name = parseName(ownField(record, "op"));
  const operands = OPERANDS[name];
  assertFields(record, ["op", "path", ...operands], `"${name}"`);
  const path = parsePath(ownField(record, "path"));
  const parsed: Record<string, unknown> = { op: name, path };
  for (const operand of operands) parsed[operand] = parseOperand(record, name, operand, path);
  // Every field this operation has was checked above, and nothing else was copied.
  return parsed as unknown as Op;
}

/** Checks a path that came from outside: an array of keys and indexes. */
export function parsePath(input: unknown): Path {
  if (!Array.isArray(input)) throw serialization("a path is an array of strings and integers");
  const segments = Array.from(input, (segment: unknown): Segment => {
    if (typeof segment === "string" || typeof segment === "number") return segment;
    throw serialization("a path holds only strings and integers");
  });
  assertPath(segments);
  return segments;
}

function parseName(name: unknown): OpName {
  if (typeof name === "string" && Object.hasOwn(OPERANDS, name)) return name as OpName;
  const found = typeof name === "string" ? JSON.stringify(name) : `a ${typeof name}`;
  throw invalidOperation(`${found} is not an operation; there are ${Object.keys(OPERANDS).join(", ")}`);
}

function parseOperand(record: UntrustedRecord, name: OpName, operand: Operand, path: Path): Json {
  const value = ownField(record, operand);
  if (value === undefined) throw serialization(`"${name}" needs the field "${operand}"`, path);
  if (operand === "value") return parseValue(value, name, path);
  if (typeof value !== "number") throw serialization(`"${operand}" is a number`, path);
  if (operand === "amount") assertAmount(value, path);
  else assertIndex(value, path);
  return value;
}

function parseValue(value: unknown, name: OpName, path: Path): Json {
  if (name === "append" || name === "insert") assertItem(value, path);
  // What is looked for in an array is as deep as its items.
  else assertJson(value, path, path.length + (name === "remove" ? 1 : 0));
  if (name === "merge_object" && !isObject(value)) throw mergeRequiresObject(path, typeName(value), "value");
  return value;
}
