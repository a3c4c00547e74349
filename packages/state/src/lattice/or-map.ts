import { deepEqual } from "../document/deep-equal.ts";
import { isObject, type Json, type JsonObject, putOwn } from "../document/json.ts";
import { type Clocks, clockOf, isClock, mergeClocks, nextTime, parseClocks, singleClock } from "./clocks.ts";
import { defineLattice, type Lattice } from "./lattice.ts";

/** One key of an ORMap: its value, itself a lattice, and when it was put last. */
export type OrMapEntry<Value extends Json> = {
  readonly value: Value;
  readonly timestamp: number;
};

/**
 * A map whose values merge. JSON: `{"entries":{key:{"value":…,"timestamp":n}},"tombstones":{key:n}}`;
 * merge: values by their own lattice, times by the later. A key is present when it was put no earlier than removed.
 */
export type OrMap<Value extends Json> = {
  readonly entries: { readonly [key: string]: OrMapEntry<Value> };
  readonly tombstones: Clocks;
};

/** The lattice of maps whose values belong to another lattice. */
export function orMap<Value extends Json>(values: Lattice<Value>): Lattice<OrMap<Value>> {
  return defineLattice<OrMap<Value>>({
    name: `ORMap of ${values.name}`,
    parse: (value) => parse(values, value),
    merge: (left, right) => merge(values, left, right),
  });
}

/** The delta that puts a value; it merges with the one already there. */
export function orMapPut<Value extends Json>(map: OrMap<Value>, key: string, value: Value): OrMap<Value> {
  const entries: Record<string, OrMapEntry<Value>> = {};
  putOwn(entries, key, { value, timestamp: nextMapTime(map) });
  return { entries, tombstones: {} };
}

/** The delta that takes a key away; putting it again later brings it back. */
export function orMapRemove<Value extends Json>(map: OrMap<Value>, key: string): OrMap<Value> {
  return { entries: {}, tombstones: singleClock(key, nextMapTime(map)) };
}

/** The value of a key that is present. */
export function orMapGet<Value extends Json>(map: OrMap<Value>, key: string): Value | undefined {
  const entry = Object.hasOwn(map.entries, key) ? map.entries[key] : undefined;
  // A put wins over a removal of the same time.
  return entry !== undefined && entry.timestamp >= (clockOf(map.tombstones, key) ?? 0) ? entry.value : undefined;
}

/** The keys that are present, sorted. */
export function orMapKeys<Value extends Json>(map: OrMap<Value>): readonly string[] {
  return Object.keys(map.entries)
    .filter((key) => orMapGet(map, key) !== undefined)
    .toSorted();
}

function nextMapTime<Value extends Json>(map: OrMap<Value>): number {
  const latest = Object.values(map.entries).reduce((latest, entry) => Math.max(latest, entry.timestamp), 0);
  return nextTime({ latest }, map.tombstones);
}

function parse<Value extends Json>(values: Lattice<Value>, input: Json): OrMap<Value> | undefined {
  if (!isObject(input) || Object.keys(input).length !== 2 || !isObject(input.entries)) return undefined;
  const tombstones = parseClocks(input.tombstones);
  if (tombstones === undefined) return undefined;
  const entries: Record<string, OrMapEntry<Value>> = {};
  let isCanonical = true;
  for (const [key, entry] of Object.entries(input.entries)) {
    const parsed = parseEntry(values, entry);
    if (parsed === undefined) return undefined;
    if (isObject(entry) && parsed.value !== entry.value) isCanonical = false;
    putOwn(entries, key, parsed);
  }
  // A value that is already in canonical form keeps its identity; everything in it was just checked.
  return isCanonical ? (input as OrMap<Value>) : { entries, tombstones };
}

function parseEntry<Value extends Json>(values: Lattice<Value>, entry: Json): OrMapEntry<Value> | undefined {
  if (!isObject(entry) || Object.keys(entry).length !== 2) return undefined;
  const { value, timestamp }: JsonObject = entry;
  if (value === undefined || !isClock(timestamp)) return undefined;
  const parsed = values.parse(value);
  return parsed === undefined ? undefined : { value: parsed, timestamp };
}

function merge<Value extends Json>(values: Lattice<Value>, left: OrMap<Value>, right: OrMap<Value>): OrMap<Value> {
  const entries: Record<string, OrMapEntry<Value>> = { ...left.entries };
  for (const [key, entry] of Object.entries(right.entries)) {
    const known = Object.hasOwn(left.entries, key) ? left.entries[key] : undefined;
    putOwn(entries, key, known === undefined ? entry : mergeEntry(values, known, entry));
  }
  const merged = { entries, tombstones: mergeClocks(left.tombstones, right.tombstones) };
  return deepEqual(merged, left) ? left : merged;
}

function mergeEntry<Value extends Json>(
  values: Lattice<Value>,
  left: OrMapEntry<Value>,
  right: OrMapEntry<Value>,
): OrMapEntry<Value> {
  return {
    value: values.merge(left.value, right.value),
    timestamp: Math.max(left.timestamp, right.timestamp),
  };
}
