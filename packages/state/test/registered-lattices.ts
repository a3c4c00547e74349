import fc from "fast-check";
import {
  flag,
  gCounter,
  gSet,
  type Json,
  type Lattice,
  LatticeRegistry,
  maxReg,
  minReg,
  orMap,
  orSet,
  type Path,
} from "../src/index.ts";
import * as arbitrary from "./lattice-arbitraries.ts";
import * as oracle from "./oracle/lattices.ts";

/** One lattice at its path, as the engine and as the oracle know it, with deltas that fit. */
interface RegisteredLattice {
  readonly path: Path;
  readonly lattice: Lattice;
  readonly oracle: oracle.OracleLattice;
  readonly delta: fc.Arbitrary<Json>;
}

const slowLongestText: oracle.OracleLattice = {
  read: (value) => (typeof value === "string" ? value : undefined),
  join: (left, right) => [String(left), String(right)].toSorted(byLengthThenCodeUnit).at(-1) ?? "",
};

/** Next to and below ordinary keys, inside an array, at hostile keys, and at the paths `["0"]` and `[0]`, which differ. */
export const REGISTERED: readonly RegisteredLattice[] = [
  at(["on"], flag, oracle.slowFlag, fc.boolean()),
  at(["a", "b"], maxReg, oracle.slowMax, arbitrary.comparable),
  at(["items", 0], minReg, oracle.slowMin, arbitrary.comparable),
  at(["count"], gCounter, oracle.slowCounter, arbitrary.clocks),
  at(["items"], gSet, oracle.slowGrowingSet, arbitrary.looseSet),
  at(["c", "toString"], orSet, oracle.slowSet, arbitrary.addRemoveSet),
  at(["votes"], orMap(gCounter), oracle.slowMap(oracle.slowCounter), arbitrary.addRemoveMap(arbitrary.clocks)),
  at(["0"], orMap(gSet), oracle.slowMap(oracle.slowGrowingSet), arbitrary.addRemoveMap(arbitrary.looseSet)),
  at([0], arbitrary.longestText, slowLongestText, arbitrary.text),
];

export const registry: LatticeRegistry = registryOf(REGISTERED);

/** A delta for one of the registered paths. */
export const registeredDelta: fc.Arbitrary<Delta> = deltaOf(REGISTERED);

/** Those of which none lies inside another: a lattice within a lattice has no say of its own. */
const APART = REGISTERED.filter(({ path }) => path.length !== 2 || path[0] !== "items");

export const registryApart: LatticeRegistry = registryOf(APART);

export const deltaApart: fc.Arbitrary<Delta> = deltaOf(APART);

interface Delta {
  readonly path: Path;
  readonly delta: Json;
}

function registryOf(lattices: readonly RegisteredLattice[]): LatticeRegistry {
  return lattices.reduce((known, { path, lattice }) => known.register(path, lattice), new LatticeRegistry());
}

function deltaOf(lattices: readonly RegisteredLattice[]): fc.Arbitrary<Delta> {
  return fc.oneof(...lattices.map(({ path, delta }) => delta.map((json) => ({ path, delta: json }))));
}

function at<Value extends Json>(
  path: Path,
  lattice: Lattice<Value>,
  slow: oracle.OracleLattice,
  delta: fc.Arbitrary<Json>,
): RegisteredLattice {
  return { path, lattice: lattice, oracle: slow, delta };
}

function byLengthThenCodeUnit(left: string, right: string): number {
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}
