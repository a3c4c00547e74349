import type { Path, Segment } from "../document/path.ts";
import type { LatticeLookup } from "../lattice/lattice-registry.ts";
import type { TouchedPath } from "./touched.ts";

/**
 * - `ExactMatch`: both touch the same path.
 * - `PrefixConflict`: one touches what lies below the other, or one sees an object where the other sees an array.
 */
export type ConflictKind = "ExactMatch" | "PrefixConflict";

export interface Conflict {
  readonly kind: ConflictKind;
  /** The contested path; of two, the shorter. */
  readonly path: Path;
}

/**
 * Where two patches made from the same state get in each other's way. No conflict means they commute: either order gives
 * the same document. Two patches that only `lattice_merge` at a registered path do not conflict there.
 */
export function detectConflicts(
  left: readonly TouchedPath[],
  right: readonly TouchedPath[],
  lattices?: LatticeLookup,
): readonly Conflict[] {
  const tree = plant(left);
  const found = new Map<string, Conflict>();
  const report = (kind: ConflictKind, path: Path): void => {
    const key = JSON.stringify(path);
    // The same place met exactly and through a descendant is first of all the same place.
    if (!found.has(key) || kind === "ExactMatch") found.set(key, { kind, path });
  };
  for (const touched of right) compare(tree, touched, lattices, report);
  return [...found.values()];
}

/** The touched paths of one side as a tree, so that comparing costs the length of a path and not the other side's size. */
interface Branch {
  readonly path: Path;
  touched: TouchedPath | undefined;
  readonly children: Map<Segment, Branch>;
  /** Whether this side enters the node by key, by index, or both. */
  readonly enteredBy: Set<"string" | "number">;
}

function plant(paths: readonly TouchedPath[]): Branch {
  const root = branch([]);
  for (const touched of paths) {
    let node = root;
    for (const segment of touched.path) {
      node.enteredBy.add(kindOf(segment));
      const child = node.children.get(segment) ?? branch([...node.path, segment]);
      node.children.set(segment, child);
      node = child;
    }
    node.touched = touched;
  }
  return root;
}

function branch(path: Path): Branch {
  return { path, touched: undefined, children: new Map(), enteredBy: new Set() };
}

function kindOf(segment: Segment): "string" | "number" {
  return typeof segment === "string" ? "string" : "number";
}

function compare(
  root: Branch,
  touched: TouchedPath,
  lattices: LatticeLookup | undefined,
  report: (kind: ConflictKind, path: Path) => void,
): void {
  let node = root;
  for (const segment of touched.path) {
    if (node.touched !== undefined) report("PrefixConflict", node.path);
    // A key makes an object of whatever it enters and an index needs an array: they cannot both have their way.
    if (node.enteredBy.has(kindOf(segment) === "string" ? "number" : "string")) report("PrefixConflict", node.path);
    const child = node.children.get(segment);
    if (child === undefined) return;
    node = child;
  }
  if (node.touched !== undefined && !mergesAway(node.touched, touched, lattices)) report("ExactMatch", node.path);
  if (node.children.size > 0) report("PrefixConflict", node.path);
}

function mergesAway(left: TouchedPath, right: TouchedPath, lattices: LatticeLookup | undefined): boolean {
  return left.latticeOnly && right.latticeOnly && lattices?.latticeAt(left.path) !== undefined;
}
