import { defineLattice, type Lattice } from "./lattice.ts";

/** A switch that, once on, stays on. JSON: a boolean; merge: or. */
export const flag: Lattice<boolean> = defineLattice({
  name: "Flag",
  parse: (value) => (typeof value === "boolean" ? value : undefined),
  merge: (left, right) => left || right,
});
