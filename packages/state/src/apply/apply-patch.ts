import type { Json } from "../document/json.ts";
import type { LatticeLookup } from "../lattice/lattice-registry.ts";
import type { Patch } from "../operations/patch.ts";
import { applyOp } from "./apply-op.ts";
import { Draft } from "./draft.ts";

/**
 * `State' = apply(State, Patch)`: pure, all operations or none.
 * With a registry, `lattice_merge` joins values; without one it sets them.
 */
export function applyPatch(document: Json, patch: Patch, lattices?: LatticeLookup): Json {
  const draft = new Draft(document, patch.ops.length > 1);
  for (const op of patch.ops) applyOp(draft, op, lattices);
  return draft.root;
}

/** Applies patches in order as one step: a node they all touch is copied once. All of them apply or none. */
export function applyPatches(document: Json, patches: Iterable<Patch>, lattices?: LatticeLookup): Json {
  const draft = new Draft(document, true);
  for (const patch of patches) {
    for (const op of patch.ops) applyOp(draft, op, lattices);
  }
  return draft.root;
}
