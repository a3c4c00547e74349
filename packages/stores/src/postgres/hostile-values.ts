/**
 * An id that is stored as it is, for asking: one that no text of Postgres can hold is nobody's. An empty one never is.
 */
export function storedId(id: string): string {
  return id.includes("\u0000") || !id.isWellFormed() ? "" : id;
}

/** A bound that whole numbers are compared with, as one: `over` gives the last that is not after it. */
export function floorBound(value: number): number {
  return Number.isNaN(value) ? Number.MAX_SAFE_INTEGER : clamp(Math.floor(value));
}

export function ceilBound(value: number): number {
  return Number.isNaN(value) ? Number.MAX_SAFE_INTEGER : clamp(Math.ceil(value));
}

function clamp(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
