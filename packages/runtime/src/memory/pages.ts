import { clampLimit, type OffsetQuery, type Page } from "@reprise/contracts";

/** Cuts a list that is already filtered and in order. */
export function cutPage<Item>(items: readonly Item[], { offset = 0, limit }: OffsetQuery): Page<Item> {
  const from = Number.isNaN(offset) ? 0 : Math.max(Math.trunc(offset), 0);
  const page = items.slice(from, from + clampLimit(limit));
  return { items: page, total: items.length, has_more: from + page.length < items.length };
}

/** Whether a record has the value asked for; nothing asked is nothing refused. */
export function fits<Value>(wanted: Value | undefined, value: Value | undefined): boolean {
  return wanted === undefined || wanted === value;
}

/** Whether a time lies between two, both included. */
export function isWithin(time: number, from: number | undefined, to: number | undefined): boolean {
  return (from === undefined || time >= from) && (to === undefined || time <= to);
}
