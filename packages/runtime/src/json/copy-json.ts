import type { Json } from "@reprise/state";

/**
 * A copy of a JSON value, with every lone surrogate replaced. Made where values cross the border between our code and others':
 * who keeps the original may write to it, and any store and any wire can carry the copy.
 */
export function copyJson(value: Json): Json {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const copy: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    // Not an assignment: `__proto__` is an ordinary key of JSON.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: copyJson(item), ...ORDINARY });
    else copy[key.isWellFormed() ? key : key.toWellFormed()] = copyJson(item);
  }
  return copy;
}

const ORDINARY = { writable: true, enumerable: true, configurable: true } as const;
