import type { Json } from "../document/json.ts";
import { invalidOperation } from "../document/state-error.ts";

/**
 * A type whose values merge without conflict, whatever the order.
 *
 * - `merge` is commutative, associative and idempotent: `merge(a, a)` equals `a`.
 * - `merge` is pure; when nothing is new it may return its left argument itself.
 * - `parse` returns a value of this lattice in its one canonical form, or undefined for any other shape;
 *   `parse` of its own result is equal to it. `merge` is only ever called with parsed values.
 */
export interface Lattice<Value extends Json = Json> {
  readonly name: string;
  parse(value: Json): Value | undefined;
  merge(left: Value, right: Value): Value;
}

/** Describes a lattice of your own. `describeLattice` in the tests shows how to check its laws. */
export function defineLattice<Value extends Json>(lattice: Lattice<Value>): Lattice<Value> {
  if (lattice.name === "") throw invalidOperation("a lattice needs a name");
  return Object.freeze({ ...lattice });
}
