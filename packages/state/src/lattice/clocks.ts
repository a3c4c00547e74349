import { isObject, type Json, putOwn } from "../document/json.ts";

/** A counter per name: what GCounter counts, and when ORSet and ORMap saw their keys last. */
export interface Clocks {
  readonly [name: string]: number;
}

/** Returns the value when it is an object of non-negative safe integers. */
export function parseClocks(value: Json | undefined): Clocks | undefined {
  if (!isObject(value)) return undefined;
  for (const count of Object.values(value)) if (!isClock(count)) return undefined;
  // Every value was just seen to be a number.
  return value as Clocks;
}

export function isClock(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Per name the larger of both. Returns the left one itself when the right one brings nothing new. */
export function mergeClocks(left: Clocks, right: Clocks): Clocks {
  let merged: Record<string, number> | undefined;
  for (const [name, count] of Object.entries(right)) {
    if (Object.hasOwn(left, name) && (left[name] as number) >= count) continue;
    merged ??= { ...left };
    putOwn(merged, name, count);
  }
  return merged ?? left;
}

export function clockOf(clocks: Clocks, name: string): number | undefined {
  return Object.hasOwn(clocks, name) ? clocks[name] : undefined;
}

/** The time after everything these clocks have seen. Not stored: it is the largest of them. */
export function nextTime(...clocks: readonly Clocks[]): number {
  const latest = clocks.reduce((latest, clock) => Object.values(clock).reduce(larger, latest), 0);
  return Math.min(latest + 1, Number.MAX_SAFE_INTEGER);
}

/** One name with its count; safe for every name, `__proto__` included. */
export function singleClock(name: string, count: number): Clocks {
  const clocks: Record<string, number> = {};
  putOwn(clocks, name, count);
  return clocks;
}

function larger(left: number, right: number): number {
  return Math.max(left, right);
}
