import { assertItem, assertJson } from "../document/assert-json.ts";
import { deepEqual } from "../document/deep-equal.ts";
import { isArray, isObject, type Json, type JsonArray, type JsonObject, putOwn, typeName } from "../document/json.ts";
import { assertIndex, assertPath, type Path } from "../document/path.ts";
import {
  appendRequiresArray,
  indexOutOfBounds,
  invalidOperation,
  mergeRequiresObject,
  numericOnNonNumber,
  pathNotFound,
  typeMismatch,
} from "../document/state-error.ts";
import type { LatticeLookup } from "../lattice/lattice-registry.ts";
import { mergeAt } from "../lattice/merge-at.ts";
import { addExactly } from "../operations/amount.ts";
import type { InsertOp, Op } from "../operations/op.ts";
import { copyMerged, copyWithout } from "./copy-object.ts";
import type { Draft } from "./draft.ts";

/** Applies one operation to a draft: the single place where operations get their meaning. */
export function applyOp(draft: Draft, op: Op, lattices: LatticeLookup | undefined): void {
  switch (op.op) {
    case "set":
      return set(draft, op.path, op.value);
    case "delete":
      return deleteAt(draft, op.path);
    case "append":
      return append(draft, op.path, op.value);
    case "merge_object":
      return mergeObject(draft, op.path, op.value);
    case "increment":
      return add(draft, op.path, op.amount);
    case "decrement":
      return add(draft, op.path, -op.amount);
    case "insert":
      return insert(draft, op);
    case "remove":
      return removeItem(draft, op.path, op.value);
    case "lattice_merge":
      return latticeMerge(draft, op.path, op.value, lattices);
    default:
      op satisfies never;
      throw invalidOperation(`${JSON.stringify((op as Op).op)} is not an operation`);
  }
}

function set(draft: Draft, path: Path, value: Json): void {
  assertJson(value, path);
  draft.write(path, value);
}

function deleteAt(draft: Draft, path: Path): void {
  if (path.length === 0) {
    draft.root = null;
    return;
  }
  if (draft.read(path) === undefined) return;
  const parentPath = path.slice(0, -1);
  const parent = draft.read(parentPath);
  if (isArray(parent)) splice(draft, parentPath, parent, { index: Number(path.at(-1)), removed: 1 });
  else if (isObject(parent)) deleteKey(draft, parentPath, parent, String(path.at(-1)));
}

function deleteKey(draft: Draft, path: Path, object: JsonObject, key: string): void {
  // In place where the object is owned: a replay may delete thousands of keys of one map.
  if (draft.owns(object)) delete draft.ownObject(object)[key];
  else draft.write(path, draft.adopt(copyWithout(object, key)));
}

function append(draft: Draft, path: Path, value: Json): void {
  assertItem(value, path);
  draft.update(path, (target) => {
    if (target === undefined) return draft.adopt([value]);
    if (!isArray(target)) throw appendRequiresArray(path, typeName(target));
    return spliced(draft, target, { index: target.length, removed: 0, added: [value] });
  });
}

function mergeObject(draft: Draft, path: Path, value: Json): void {
  assertJson(value, path);
  if (!isObject(value)) throw mergeRequiresObject(path, typeName(value), "value");
  draft.update(path, (target = {}) => {
    if (!isObject(target)) throw mergeRequiresObject(path, typeName(target), "target");
    if (!draft.owns(target)) return draft.adopt(copyMerged(target, value));
    const owned = draft.ownObject(target);
    for (const key of Object.keys(value)) putOwn(owned, key, value[key] as Json);
    return owned;
  });
}

function add(draft: Draft, path: Path, amount: number): void {
  draft.replace(path, (current) => {
    if (typeof current !== "number") throw numericOnNonNumber(path, typeName(current));
    return addExactly(current, amount, path);
  });
}

function insert(draft: Draft, { path, index, value }: InsertOp): void {
  assertItem(value, path);
  assertIndex(index, path);
  const target = arrayAt(draft, path);
  if (index > target.length) throw indexOutOfBounds(path, index, target.length);
  splice(draft, path, target, { index, removed: 0, added: [value] });
}

function removeItem(draft: Draft, path: Path, value: Json): void {
  assertJson(value, path, path.length + 1);
  const target = arrayAt(draft, path);
  const index = target.findIndex((item) => deepEqual(item, value));
  if (index >= 0) splice(draft, path, target, { index, removed: 1 });
}

interface Splice {
  readonly index: number;
  readonly removed: 0 | 1;
  readonly added?: readonly Json[];
}

/** Changes the array at a path in place when it is owned, else puts a changed copy there. */
function splice(draft: Draft, path: Path, array: JsonArray, change: Splice): void {
  const changed = spliced(draft, array, change);
  if (changed !== array) draft.write(path, changed);
}

/** The array itself when it is owned, changed in place; else a changed copy, made in one pass. */
function spliced(draft: Draft, array: JsonArray, { index, removed, added = [] }: Splice): JsonArray {
  if (!draft.owns(array)) return draft.adopt(array.toSpliced(index, removed, ...added));
  draft.ownArray(array).splice(index, removed, ...added);
  return array;
}

function arrayAt(draft: Draft, path: Path): readonly Json[] {
  const target = draft.read(path);
  if (target === undefined) throw pathNotFound(path);
  if (!isArray(target)) throw typeMismatch(path, "array", typeName(target));
  return target;
}

function latticeMerge(draft: Draft, path: Path, delta: Json, lattices: LatticeLookup | undefined): void {
  if (lattices === undefined) return set(draft, path, delta);
  assertPath(path);
  const lattice = lattices.latticeAt(path);
  if (lattice === undefined) return set(draft, path, delta);
  assertJson(delta, path);
  const current = draft.read(path);
  const merged = mergeAt(lattice, path, current, delta);
  if (merged !== current) draft.write(path, merged);
}
