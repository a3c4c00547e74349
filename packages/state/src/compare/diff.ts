import { assertItem, assertJson, isPlain } from "../document/assert-json.ts";
import { deepEqual } from "../document/deep-equal.ts";
import { isArray, isObject, type Json, type JsonArray, type JsonObject } from "../document/json.ts";
import { MAX_DEPTH, type Path, RESERVED_KEYS } from "../document/path.ts";
import { invalidOperation } from "../document/state-error.ts";
import type { Lattice } from "../lattice/lattice.ts";
import type { LatticeLookup } from "../lattice/lattice-registry.ts";
import type { Op } from "../operations/op.ts";
import { ops } from "../operations/ops.ts";
import { type ArrayInsert, editScript } from "./edit-script.ts";

export interface DiffOptions {
  /** Where both values stand in their document; leads every path. */
  readonly at?: Path;
  /** A change at a registered path becomes a `lattice_merge`, where merging gives the new value. */
  readonly lattices?: LatticeLookup;
}

/**
 * The operations that turn one document into the other: `applyPatch(before, { ops: diff(before, after) })` equals `after`.
 * Only what differs is named, and subtrees that are the same reference are not entered, so the cost follows the change.
 */
export function diff(before: Json, after: Json, { at = [], lattices }: DiffOptions = {}): readonly Op[] {
  const found: Op[] = [];
  new Comparison(lattices, found).compare(before, after, at);
  return found;
}

/** One walk over both documents. */
class Comparison {
  readonly #lattices: LatticeLookup | undefined;
  readonly #found: Op[];

  constructor(lattices: LatticeLookup | undefined, found: Op[]) {
    this.#lattices = lattices;
    this.#found = found;
  }

  compare(before: Json, after: Json, path: Path): void {
    if (before === after) return;
    if (path.length > MAX_DEPTH) throw invalidOperation(`values nest deeper than ${MAX_DEPTH} levels`);
    if (this.#lattices?.latticeAt(path) !== undefined) {
      // Whole values are compared here: a lattice is never changed in part.
      if (!deepEqual(before, after)) this.#write(path, after, before);
    } else if (isArray(before) && isArray(after)) this.#compareArrays(before, after, path);
    else if (isObject(before) && isObject(after) && isReachable(before, after)) {
      this.#compareObjects(before, after, path);
    } else this.#write(path, after);
  }

  #compareObjects(before: JsonObject, after: JsonObject, path: Path): void {
    for (const key of Object.keys(before)) {
      if (!Object.hasOwn(after, key)) this.#found.push(ops.delete([...path, key]));
    }
    for (const key of Object.keys(after)) {
      const value = after[key] as Json;
      if (!Object.hasOwn(before, key)) this.#write([...path, key], value);
      else if (before[key] !== value) this.compare(before[key] as Json, value, [...path, key]);
    }
  }

  #compareArrays(before: JsonArray, after: JsonArray, path: Path): void {
    for (const edit of editScript(before, after)) {
      if (edit.kind === "delete") this.#found.push(ops.delete([...path, edit.to]));
      else if (edit.kind === "insert") this.#insert(path, edit, after[edit.to] as Json);
      else this.compare(before[edit.from] as Json, after[edit.to] as Json, [...path, edit.to]);
    }
  }

  #insert(path: Path, { to, isLast }: ArrayInsert, value: Json): void {
    assertItem(value, path);
    this.#found.push(isLast ? ops.append(path, value) : ops.insert(path, to, value));
  }

  #write(path: Path, value: Json, before?: Json): void {
    assertJson(value, path);
    const lattice = this.#lattices?.latticeAt(path);
    const merges = lattice !== undefined && isReachedByMerge(lattice, before, value);
    this.#found.push(merges ? ops.latticeMerge(path, value) : ops.set(path, value));
  }
}

/** Whether merging gives exactly this value. Where it does not, as when a set shrinks, only a `set` says what happened. */
function isReachedByMerge(lattice: Lattice, before: Json | undefined, after: Json): boolean {
  const right = lattice.parse(after);
  const left = before === undefined ? right : lattice.parse(before);
  return left !== undefined && right !== undefined && deepEqual(lattice.merge(left, right), right);
}

/**
 * Whether the difference of two objects can be said key by key. Reserved keys are ordinary inside values but no path may
 * name them: an object where one changes is set whole. So is one that is not plain, which is then refused.
 */
function isReachable(before: JsonObject, after: JsonObject): boolean {
  if (!isPlain(after)) return false;
  return RESERVED_KEYS.every((key) => {
    const has = Object.hasOwn(after, key);
    return has === Object.hasOwn(before, key) && (!has || deepEqual(before[key] as Json, after[key] as Json));
  });
}
