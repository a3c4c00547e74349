import type { Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import type {
  AppendOp,
  DecrementOp,
  DeleteOp,
  IncrementOp,
  InsertOp,
  LatticeMergeOp,
  MergeObjectOp,
  RemoveOp,
  SetOp,
} from "./op.ts";

/** One constructor per operation. They only build: `applyPatch` and `parsePatch` check. */
export const ops: {
  set(path: Path, value: Json): SetOp;
  delete(path: Path): DeleteOp;
  append(path: Path, value: Json): AppendOp;
  mergeObject(path: Path, value: Json): MergeObjectOp;
  increment(path: Path, amount?: number): IncrementOp;
  decrement(path: Path, amount?: number): DecrementOp;
  insert(path: Path, index: number, value: Json): InsertOp;
  remove(path: Path, value: Json): RemoveOp;
  latticeMerge(path: Path, value: Json): LatticeMergeOp;
} = {
  set: (path, value) => ({ op: "set", path, value }),
  delete: (path) => ({ op: "delete", path }),
  append: (path, value) => ({ op: "append", path, value }),
  mergeObject: (path, value) => ({ op: "merge_object", path, value }),
  increment: (path, amount = 1) => ({ op: "increment", path, amount }),
  decrement: (path, amount = 1) => ({ op: "decrement", path, amount }),
  insert: (path, index, value) => ({ op: "insert", path, index, value }),
  remove: (path, value) => ({ op: "remove", path, value }),
  latticeMerge: (path, value) => ({ op: "lattice_merge", path, value }),
};
