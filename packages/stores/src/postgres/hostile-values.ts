/**
 * An id for a query, as it is stored: an id that Postgres cannot store as text matches nothing. An empty one never is.
 */
export function storedId(id: string): string {
  return id.includes("\u0000") || !id.isWellFormed() ? "" : id;
}

/** A bound for whole numbers as one of them, for those after it. Nothing is after what is no number. */
export function floorBound(value: number): number {
  return Number.isNaN(value) ? Number.MAX_SAFE_INTEGER : clamp(Math.floor(value));
}

/** The same for those from it on. */
export function ceilBound(value: number): number {
  return Number.isNaN(value) ? Number.MAX_SAFE_INTEGER : clamp(Math.ceil(value));
}

function clamp(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
