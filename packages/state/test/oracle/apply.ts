import type { Json, LatticeMergeOp, Op, Patch, Path } from "../../src/index.ts";
import { checkNumber, wrongsOf } from "./check-operation.ts";
import { cloneJson, isEqual, isList, isRecord } from "./equality.ts";
import type { OracleLattices } from "./lattices.ts";
import { latticeFor } from "./lattices.ts";
import { Refusal, refusalsOf } from "./refusal.ts";

type Change = (current: Json | undefined) => Json;

/** All patches, one operation after the other, each on a fresh copy of the document. */
export function applyAllSlowly(document: Json, patches: readonly Patch[], lattices: OracleLattices = []): Json {
  let result = cloneJson(document);
  for (const patch of patches) for (const op of patch.ops) result = applySlowly(result, op, lattices);
  return result;
}

/** One operation, told as in the specification. Throws a `Refusal`. */
export function applySlowly(document: Json, op: Op, lattices: OracleLattices = []): Json {
  const wrongs = [...wrongsOf(op), ...refusalsOf(() => op.op === "lattice_merge" && readDelta(op, lattices))];
  if (wrongs.length > 0) throw new Refusal(...wrongs, ...refusalsOf(() => applyUnchecked(document, op, lattices)));
  return applyUnchecked(document, op, lattices);
}

function applyUnchecked(document: Json, op: Op, lattices: OracleLattices): Json {
  const before = cloneJson(document);
  switch (op.op) {
    case "set":
      return changeOrCreate(before, op.path, () => op.value);
    case "delete":
      return removeAt(before, op.path);
    case "append":
      return changeOrCreate(before, op.path, (current = []) => {
        if (!isList(current)) throw new Refusal("APPEND_REQUIRES_ARRAY");
        return [...current, op.value];
      });
    case "merge_object":
      return changeOrCreate(before, op.path, (current = {}) => {
        if (!isRecord(current) || !isRecord(op.value)) throw new Refusal("MERGE_REQUIRES_OBJECT");
        return Object.fromEntries([...Object.entries(current), ...Object.entries(op.value)]);
      });
    case "increment":
      return changeExisting(before, op.path, (current) => add(current, op.amount));
    case "decrement":
      return changeExisting(before, op.path, (current) => add(current, -op.amount));
    case "insert":
      return changeExisting(before, op.path, (current) => {
        if (!isList(current)) throw new Refusal("TYPE_MISMATCH");
        if (op.index > current.length) throw new Refusal("INDEX_OUT_OF_BOUNDS");
        return [...current.slice(0, op.index), op.value, ...current.slice(op.index)];
      });
    case "remove":
      return changeExisting(before, op.path, (current) => {
        if (!isList(current)) throw new Refusal("TYPE_MISMATCH");
        const first = current.findIndex((item) => isEqual(item, op.value));
        return current.filter((_, index) => index !== first);
      });
    case "lattice_merge":
      return mergeLattice(before, op, lattices);
    default:
      return op satisfies never;
  }
}

/** The value at a path; undefined when it is missing or the way leads through the wrong type. */
export function readAt(document: Json, path: Path): Json | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return document;
  const child = childOf(document, head);
  return child === undefined ? undefined : readAt(child, rest);
}

function childOf(document: Json, segment: string | number): Json | undefined {
  if (typeof segment === "number") return isList(document) ? document[segment] : undefined;
  return isRecord(document) && Object.hasOwn(document, segment) ? document[segment] : undefined;
}

/** Keys make objects on the way; indexes need an array that reaches that far. */
function changeOrCreate(document: Json | undefined, path: Path, change: Change): Json {
  const [head, ...rest] = path;
  if (head === undefined) return change(document);
  if (typeof head === "string") {
    const object = isRecord(document) ? document : {};
    return withKey(object, head, changeOrCreate(childOf(object, head), rest, change));
  }
  if (!isList(document)) throw new Refusal("TYPE_MISMATCH");
  if (head >= document.length) throw new Refusal("INDEX_OUT_OF_BOUNDS");
  return document.map((item, index) => (index === head ? changeOrCreate(item, rest, change) : item));
}

function changeExisting(document: Json, path: Path, change: (current: Json) => Json): Json {
  const current = readAt(document, path);
  if (current === undefined) throw new Refusal("PATH_NOT_FOUND");
  return changeOrCreate(document, path, () => change(current));
}

function removeAt(document: Json, path: Path): Json {
  if (path.length === 0) return null;
  if (readAt(document, path) === undefined) return document;
  const last = path.at(-1);
  return changeOrCreate(document, path.slice(0, -1), (parent) => {
    if (isList(parent)) return parent.filter((_, index) => index !== last);
    return Object.fromEntries(Object.entries(parent ?? {}).filter(([key]) => key !== last));
  });
}

function add(current: Json, amount: number): number {
  if (typeof current !== "number") throw new Refusal("NUMERIC_OPERATION_ON_NON_NUMBER");
  checkNumber(current);
  checkNumber(current + amount);
  return current + amount;
}

function mergeLattice(document: Json, op: LatticeMergeOp, lattices: OracleLattices): Json {
  const lattice = latticeFor(lattices, op.path);
  if (lattice === undefined) return changeOrCreate(document, op.path, () => op.value);
  return changeOrCreate(document, op.path, (current) => {
    const delta = readDelta(op, lattices);
    if (current === undefined) return delta;
    const known = lattice.read(current);
    if (known === undefined) throw new Refusal("TYPE_MISMATCH");
    return lattice.join(known, delta);
  });
}

function readDelta(op: LatticeMergeOp, lattices: OracleLattices): Json {
  const lattice = latticeFor(lattices, op.path);
  const delta = lattice === undefined ? op.value : lattice.read(op.value);
  if (delta === undefined) throw new Refusal("TYPE_MISMATCH");
  return delta;
}

function withKey(object: Readonly<Record<string, Json>>, key: string, value: Json): Json {
  return Object.fromEntries([...Object.entries(object), [key, value]]);
}
