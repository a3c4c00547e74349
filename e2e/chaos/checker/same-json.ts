import { deepEqual, type Json } from "@reprise/state";

/** Whether two records say the same. Fields that are there and undefined count as absent, as in JSON. */
export function isSameJson(left: unknown, right: unknown): boolean {
  return deepEqual(plain(left), plain(right));
}

function plain(value: unknown): Json {
  // What JSON makes of a value is JSON; nothing at all is null.
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}
