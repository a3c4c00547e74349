import type { Conflict, Op, Patch, Path } from "../../src/index.ts";
import { isEqual } from "./equality.ts";

/** Every pair of operations, compared by hand; each path once, `ExactMatch` before `PrefixConflict`. */
export function conflictsSlowly(left: Patch, right: Patch, registered: readonly Path[] = []): readonly Conflict[] {
  const found: Conflict[] = [];
  for (const one of left.ops) {
    for (const other of right.ops) {
      const conflict = conflictBetween(touchedBy(one), touchedBy(other));
      if (conflict === undefined) continue;
      if (conflict.kind === "ExactMatch" && mayMerge(conflict.path, left, right, registered)) continue;
      found.push(conflict);
    }
  }
  const exact = found.filter((conflict) => conflict.kind === "ExactMatch");
  const prefix = found.filter((conflict) => conflict.kind === "PrefixConflict");
  return [...exact, ...prefix].filter(isFirstAtItsPath);
}

/** What an operation may change: deleting an item moves the items after it, so it touches the array. */
export function touchedBy(op: Op): Path {
  const deletesItem = op.op === "delete" && typeof op.path.at(-1) === "number";
  return deletesItem ? op.path.slice(0, -1) : op.path;
}

export function conflictBetween(one: Path, other: Path): Conflict | undefined {
  if (isEqual(one, other)) return { kind: "ExactMatch", path: one };
  const fork = one.findIndex((segment, position) => segment !== other[position]);
  const shared = fork === -1 ? one : one.slice(0, fork);
  const [next, otherNext] = [one[shared.length], other[shared.length]];
  const isPrefix = next === undefined || otherNext === undefined;
  return isPrefix || typeof next !== typeof otherNext ? { kind: "PrefixConflict", path: shared } : undefined;
}

function mayMerge(path: Path, left: Patch, right: Patch, registered: readonly Path[]): boolean {
  const touching = [...left.ops, ...right.ops].filter((op) => isEqual(touchedBy(op), path));
  return registered.some((known) => isEqual(known, path)) && touching.every((op) => op.op === "lattice_merge");
}

function isFirstAtItsPath(conflict: Conflict, position: number, all: readonly Conflict[]): boolean {
  return all.findIndex((other) => isEqual(other.path, conflict.path)) === position;
}
