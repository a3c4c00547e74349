import type { Json, Op, Path, StateErrorCode } from "../../src/index.ts";
import { isRecord } from "./equality.ts";
import { Refusal, refusalsOf } from "./refusal.ts";

const DEEPEST = 64;

/** Everything that is wrong with an operation whatever document it meets. */
export function wrongsOf(op: Op): readonly StateErrorCode[] {
  const checks: readonly (() => void)[] = [
    () => checkPath(op.path),
    () => "amount" in op && checkNumber(op.amount),
    () => "index" in op && checkIndex(op.index),
    () => "value" in op && checkValue(op.value, op.path.length + containersAddedBy(op)),
    () => {
      if (op.op === "merge_object" && !isRecord(op.value)) throw new Refusal("MERGE_REQUIRES_OBJECT");
    },
  ];
  return checks.flatMap((check) => refusalsOf(check));
}

/** Where the value becomes an item, the array is one more container above it. */
function containersAddedBy(op: Op): number {
  return op.op === "append" || op.op === "insert" ? 1 : 0;
}

function checkPath(path: Path): void {
  if (path.length > DEEPEST) throw new Refusal("INVALID_OPERATION");
  for (const segment of path) {
    if (typeof segment === "number") checkIndex(segment);
    else if (["__proto__", "constructor", "prototype"].includes(segment)) throw new Refusal("INVALID_OPERATION");
  }
}

/** Arithmetic stays exact: finite, and within the safe integers when whole. */
export function checkNumber(number: number): void {
  if (!Number.isFinite(number)) throw new Refusal("INVALID_OPERATION");
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) throw new Refusal("INVALID_OPERATION");
}

function checkIndex(index: number): void {
  if (!Number.isSafeInteger(index) || index < 0) throw new Refusal("INVALID_OPERATION");
}

function checkValue(value: unknown, containersAbove: number): void {
  if (value === null || typeof value === "boolean" || typeof value === "string") {
    // A scalar is no container, but the array made for it by an append is one.
    if (containersAbove > DEEPEST) throw new Refusal("INVALID_OPERATION");
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Refusal("SERIALIZATION");
    if (containersAbove > DEEPEST) throw new Refusal("INVALID_OPERATION");
  } else if (Array.isArray(value)) {
    if (containersAbove + 1 > DEEPEST) throw new Refusal("INVALID_OPERATION");
    for (let index = 0; index < value.length; index++) checkValue(value[index], containersAbove + 1);
  } else if (isPlainObject(value)) {
    if (containersAbove + 1 > DEEPEST) throw new Refusal("INVALID_OPERATION");
    for (const child of Object.values(value)) checkValue(child, containersAbove + 1);
  } else {
    throw new Refusal("SERIALIZATION");
  }
}

function isPlainObject(value: unknown): value is Readonly<Record<string, Json>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
