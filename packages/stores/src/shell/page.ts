import { clampLimit, type OffsetQuery, type Page } from "@reprise/contracts";
import type { Cut, RowPage } from "./row-reader.ts";

/** Where a list is to be cut, whatever was asked for. */
export function cutOf({ offset = 0, limit }: OffsetQuery): Cut {
  const from = Number.isNaN(offset) ? 0 : Math.max(Math.trunc(offset), 0);
  // A number that no database takes is past every end.
  return { offset: Math.min(from, Number.MAX_SAFE_INTEGER), limit: clampLimit(limit) };
}

export function toPage<Item>({ rows, total }: RowPage<Item>, { offset }: Cut): Page<Item> {
  return { items: rows, total, has_more: offset + rows.length < total };
}
