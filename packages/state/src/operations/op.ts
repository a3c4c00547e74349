import type { Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";

/** Puts a value at a path; missing or non-object values on the way become objects. */
export interface SetOp {
  readonly op: "set";
  readonly path: Path;
  readonly value: Json;
}

/** Takes away the value at a path; nothing happens when there is none. */
export interface DeleteOp {
  readonly op: "delete";
  readonly path: Path;
}

/** Adds a value to the end of an array, which is made when absent. */
export interface AppendOp {
  readonly op: "append";
  readonly path: Path;
  readonly value: Json;
}

/** Copies the keys of an object into the one at the path, which is made when absent. */
export interface MergeObjectOp {
  readonly op: "merge_object";
  readonly path: Path;
  readonly value: Json;
}

/** Adds to the number at the path. */
export interface IncrementOp {
  readonly op: "increment";
  readonly path: Path;
  readonly amount: number;
}

/** Subtracts from the number at the path. */
export interface DecrementOp {
  readonly op: "decrement";
  readonly path: Path;
  readonly amount: number;
}

/** Puts a value into the array at the path before the item at `index`; `index` may be its length. */
export interface InsertOp {
  readonly op: "insert";
  readonly path: Path;
  readonly index: number;
  readonly value: Json;
}

/** Takes the first item equal to the value out of the array at the path. */
export interface RemoveOp {
  readonly op: "remove";
  readonly path: Path;
  readonly value: Json;
}

/** Joins a delta into the lattice registered at the path; without a registered lattice it is a `set`. */
export interface LatticeMergeOp {
  readonly op: "lattice_merge";
  readonly path: Path;
  readonly value: Json;
}

/** One atomic change of a document, in its wire form. */
export type Op =
  | SetOp
  | DeleteOp
  | AppendOp
  | MergeObjectOp
  | IncrementOp
  | DecrementOp
  | InsertOp
  | RemoveOp
  | LatticeMergeOp;

export type OpName = Op["op"];
