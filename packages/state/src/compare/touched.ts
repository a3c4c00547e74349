import { isSamePath, type Path } from "../document/path.ts";
import type { Op } from "../operations/op.ts";
import type { Patch } from "../operations/patch.ts";

/** A path whose value, or anything below it, a patch may change. */
export interface TouchedPath {
  readonly path: Path;
  /** Whether every operation at exactly this path is a `lattice_merge`. */
  readonly latticeOnly: boolean;
}

/** The paths a patch touches, each once, in order of first touch. */
export function computeTouched(patch: Patch): readonly TouchedPath[] {
  const touched = new Map<string, TouchedPath>();
  for (const op of patch.ops) {
    const path = touchedBy(op);
    const key = JSON.stringify(path);
    const latticeOnly = op.op === "lattice_merge" && isSamePath(path, op.path);
    touched.set(key, { path, latticeOnly: latticeOnly && (touched.get(key)?.latticeOnly ?? true) });
  }
  return [...touched.values()];
}

/** An item that leaves its array moves all that follow it: the array is what is touched. */
function touchedBy(op: Op): Path {
  return op.op === "delete" && typeof op.path.at(-1) === "number" ? op.path.slice(0, -1) : op.path;
}
