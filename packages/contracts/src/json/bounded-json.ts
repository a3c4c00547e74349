import type { Json } from "@reprise/state";
import { invalidRequest } from "../errors/reprise-error.ts";

/** How long the metadata of a run or a thread may be as JSON, in bytes of UTF-8: lists of runs and threads repeat it. */
export const MAX_METADATA_BYTES = 16_384;

/** How long the lists of a run's policy may be. */
export const MAX_POLICY_BYTES = 65_536;

/** How many bytes JSON has, when that is more than its limit. */
export function findOversize(value: Json, maxBytes: number): number | undefined {
  const text = JSON.stringify(value);
  // A character has one byte at least and three at most, so most texts need not be encoded.
  if (text.length * 3 <= maxBytes) return undefined;
  const bytes = text.length > maxBytes ? text.length : new TextEncoder().encode(text).length;
  return bytes <= maxBytes ? undefined : bytes;
}

/** Refuses JSON that is longer than its limit. */
export function assertBounded(what: string, value: Json | undefined, maxBytes: number): void {
  const bytes = value === undefined ? undefined : findOversize(value, maxBytes);
  if (bytes === undefined) return;
  throw invalidRequest(`${what} must have at most ${maxBytes} bytes as JSON (got ${bytes}).`, {
    bytes,
    limit: maxBytes,
  });
}
