import type { Json, Path } from "../../src/index.ts";
import { isEqual, isList, isRecord } from "./equality.ts";
import { compareSlowly } from "./order.ts";

/** A lattice as the reference table tells it: how its JSON is read into canonical form, and how two are joined. */
export interface OracleLattice {
  read(value: Json): Json | undefined;
  join(left: Json, right: Json): Json;
}

export type OracleLattices = readonly { readonly path: Path; readonly oracle: OracleLattice }[];

export function latticeFor(lattices: OracleLattices, path: Path): OracleLattice | undefined {
  return lattices.find((entry) => isEqual(entry.path, path))?.oracle;
}

export const slowFlag: OracleLattice = {
  read: (value) => (typeof value === "boolean" ? value : undefined),
  join: (left, right) => left === true || right === true,
};

export const slowMax: OracleLattice = {
  read: (value) => (typeof value === "number" || typeof value === "string" ? value : undefined),
  join: (left, right) => (compareSlowly(left, right) >= 0 ? left : right),
};

export const slowMin: OracleLattice = {
  read: slowMax.read,
  join: (left, right) => (compareSlowly(left, right) <= 0 ? left : right),
};

export const slowCounter: OracleLattice = {
  read: (value) => (isRecord(value) && Object.values(value).every(isTime) ? value : undefined),
  join: (left, right) => joinKeys(left, right, slowMax.join),
};

export const slowGrowingSet: OracleLattice = {
  read: (value) => (isList(value) ? distinct(value) : undefined),
  join: (left, right) => distinct([...itemsOf(left), ...itemsOf(right)]),
};

export const slowSet: OracleLattice = pairOf(slowCounter);

/** Entries are records of a value and the time it was put. */
export function slowMap(values: OracleLattice): OracleLattice {
  return pairOf({
    read: (entries) => {
      if (!isRecord(entries)) return undefined;
      const read = Object.entries(entries).map(([key, entry]) => [key, readEntry(values, entry)] as const);
      const known = read.flatMap(([key, entry]) => (entry === undefined ? [] : [[key, entry] as const]));
      return known.length === read.length ? Object.fromEntries(known) : undefined;
    },
    join: (left, right) =>
      joinKeys(left, right, (one, other) => ({
        value: values.join(fieldOf(one, "value"), fieldOf(other, "value")),
        timestamp: slowMax.join(fieldOf(one, "timestamp"), fieldOf(other, "timestamp")),
      })),
  });
}

/** `{"entries": …, "tombstones": {key: time}}` and nothing else. */
function pairOf(entries: OracleLattice): OracleLattice {
  return {
    read: (value) => {
      if (!isRecord(value) || !isEqual(Object.keys(value).toSorted(), ["entries", "tombstones"])) return undefined;
      const readEntries = entries.read(fieldOf(value, "entries"));
      const tombstones = slowCounter.read(fieldOf(value, "tombstones"));
      if (readEntries === undefined || tombstones === undefined) return undefined;
      return { entries: readEntries, tombstones };
    },
    join: (left, right) => ({
      entries: entries.join(fieldOf(left, "entries"), fieldOf(right, "entries")),
      tombstones: slowCounter.join(fieldOf(left, "tombstones"), fieldOf(right, "tombstones")),
    }),
  };
}

function readEntry(values: OracleLattice, entry: Json): Json | undefined {
  if (!isRecord(entry) || !isEqual(Object.keys(entry).toSorted(), ["timestamp", "value"])) return undefined;
  const value = values.read(fieldOf(entry, "value"));
  const timestamp = fieldOf(entry, "timestamp");
  return value === undefined || !isTime(timestamp) ? undefined : { value, timestamp };
}

function joinKeys(left: Json, right: Json, join: (one: Json, other: Json) => Json): Json {
  const joined = new Map<string, Json>(isRecord(left) ? Object.entries(left) : []);
  for (const [key, value] of isRecord(right) ? Object.entries(right) : []) {
    const known = joined.get(key);
    joined.set(key, known === undefined ? value : join(known, value));
  }
  return Object.fromEntries(joined);
}

function distinct(items: readonly Json[]): readonly Json[] {
  const sorted = items.toSorted(compareSlowly);
  return sorted.filter((item, index) => sorted.findIndex((other) => isEqual(other, item)) === index);
}

function isTime(value: Json): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function itemsOf(value: Json): readonly Json[] {
  return isList(value) ? value : [];
}

function fieldOf(value: Json, key: string): Json {
  return (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined) ?? null;
}
