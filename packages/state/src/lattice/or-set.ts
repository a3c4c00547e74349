import { isObject, type Json } from "../document/json.ts";
import { type Clocks, clockOf, mergeClocks, nextTime, parseClocks, singleClock } from "./clocks.ts";
import { defineLattice, type Lattice } from "./lattice.ts";

/**
 * A set of strings that can grow and shrink. JSON: `{"entries":{element:time},"tombstones":{element:time}}`;
 * merge: per element the later time of each. An element is present when its entry is at least as late as its tombstone.
 */
export type OrSet = {
  readonly entries: Clocks;
  readonly tombstones: Clocks;
};

export const orSet: Lattice<OrSet> = defineLattice<OrSet>({ name: "ORSet", parse, merge });

export const EMPTY_OR_SET: OrSet = Object.freeze({ entries: {}, tombstones: {} });

/** The delta that adds an element. */
export function orSetAdd(set: OrSet, element: string): OrSet {
  return { entries: singleClock(element, nextTime(set.entries, set.tombstones)), tombstones: {} };
}

/** The delta that takes an element away; adding it again later brings it back. */
export function orSetRemove(set: OrSet, element: string): OrSet {
  return { entries: {}, tombstones: singleClock(element, nextTime(set.entries, set.tombstones)) };
}

export function orSetHas(set: OrSet, element: string): boolean {
  const added = clockOf(set.entries, element);
  // An add wins over a removal of the same time.
  return added !== undefined && added >= (clockOf(set.tombstones, element) ?? 0);
}

/** The elements that are present, sorted. */
export function orSetElements(set: OrSet): readonly string[] {
  return Object.keys(set.entries)
    .filter((element) => orSetHas(set, element))
    .toSorted();
}

function parse(value: Json): OrSet | undefined {
  if (!isObject(value) || Object.keys(value).length !== 2) return undefined;
  const entries = parseClocks(value.entries);
  const tombstones = parseClocks(value.tombstones);
  return entries === undefined || tombstones === undefined ? undefined : (value as OrSet);
}

function merge(left: OrSet, right: OrSet): OrSet {
  const entries = mergeClocks(left.entries, right.entries);
  const tombstones = mergeClocks(left.tombstones, right.tombstones);
  return entries === left.entries && tombstones === left.tombstones ? left : { entries, tombstones };
}
