import { invalidOperation } from "../document/state-error.ts";
import { type Clocks, clockOf, mergeClocks, parseClocks, singleClock } from "./clocks.ts";
import { defineLattice, type Lattice } from "./lattice.ts";

/** A counter that only grows. JSON: `{"node": count}`; merge: per node the larger; value: the sum. */
export type GCounter = Clocks;

export const gCounter: Lattice<GCounter> = defineLattice<GCounter>({
  name: "GCounter",
  parse: parseClocks,
  merge: mergeClocks,
});

/** The delta that counts up for one node. Saturates at the largest safe integer. */
export function gCounterIncrement(counter: GCounter, node: string, amount: number = 1): GCounter {
  if (!Number.isSafeInteger(amount) || amount < 0) {
    throw invalidOperation(`a GCounter grows by a non-negative safe integer, not ${amount}`);
  }
  return singleClock(node, saturate((clockOf(counter, node) ?? 0) + amount));
}

/** The value of the counter: the sum over all nodes. */
export function gCounterValue(counter: GCounter): number {
  return Object.values(counter).reduce((sum, count) => saturate(sum + count), 0);
}

function saturate(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}
