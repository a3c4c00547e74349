import { type ErrorCode, RepriseError } from "@reprise/contracts";
import { findNearest } from "@reprise/contracts/shape";

/** A row for every option of an interface. The compiler finds one that is missing or too many. */
export type KeysOf<Options> = { readonly [Key in keyof Options]-?: true };

/** Refuses an option that nothing reads. It is probably a known one, misspelt: what it says must not count for nothing. */
export function assertKnownKeys<Options extends object>(
  what: string,
  given: Options,
  keys: { readonly [Key in keyof Options]-?: unknown },
  code: ErrorCode = "INVALID_DEFINITION",
): void {
  const prototype: unknown = Object.getPrototypeOf(given);
  // An instance of an author's class may have fields of its own.
  if (prototype !== Object.prototype && prototype !== null) return;
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(keys, key)) continue;
    const known = Object.keys(keys);
    const nearest = findNearest(key, known);
    const remedy =
      nearest === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${JSON.stringify(nearest)}?`;
    const message = `${JSON.stringify(key)} is not an option of ${what}. ${remedy}`;
    throw new RepriseError(code, message, { details: { key } });
  }
}
