import type { Json } from "../document/json.ts";
import { defineLattice, type Lattice } from "./lattice.ts";

/** The values of a register: numbers, or strings in code unit order. One register holds one kind. */
export type Comparable = number | string;

/** Keeps the largest value seen. JSON: the value itself. */
export const maxReg: Lattice<Comparable> = defineLattice({
  name: "MaxReg",
  parse: parseComparable,
  merge: (left, right) => (isBefore(left, right) ? right : left),
});

/** Keeps the smallest value seen. JSON: the value itself. */
export const minReg: Lattice<Comparable> = defineLattice({
  name: "MinReg",
  parse: parseComparable,
  merge: (left, right) => (isBefore(right, left) ? right : left),
});

function parseComparable(value: Json): Comparable | undefined {
  return typeof value === "number" || typeof value === "string" ? value : undefined;
}

/** A total order, so that the laws hold even when kinds are mixed by mistake: numbers come before strings. */
function isBefore(left: Comparable, right: Comparable): boolean {
  if (typeof left !== typeof right) return typeof left === "number";
  return left < right;
}
