import type { WorkContext } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { type BlobValue, isBlobValue, type StoredValue } from "./workflow-state.ts";

/** Outputs up to this size are part of the state; larger ones are blobs. */
const MOST_INLINE_BYTES = 32 * 1024;

/** Stores a value: itself when it is small, a reference when it is not. */
export async function storeValue({ putBlob }: Pick<WorkContext, "putBlob">, value: Json): Promise<StoredValue> {
  const text = JSON.stringify(value);
  // No character takes more than three bytes per unit; most texts are decided without encoding them.
  if (text.length * 3 <= MOST_INLINE_BYTES) return value;
  const content = new TextEncoder().encode(text);
  if (content.length <= MOST_INLINE_BYTES) return value;
  const blob: BlobValue = { $blob: await putBlob(content, { media_type: "application/json" }), bytes: content.length };
  return blob;
}

/** The value that is stored, wherever it lies. */
export async function loadValue({ getBlob }: Pick<WorkContext, "getBlob">, stored: StoredValue): Promise<Json> {
  if (isBlobValue(stored)) {
    const content = await getBlob(stored.$blob);
    if (content === undefined) throw new Error(`The stored output ${stored.$blob} is gone.`);
    return JSON.parse(new TextDecoder().decode(content)) as Json;
  }
  if (Array.isArray(stored))
    return hasBlob(stored) ? Promise.all(stored.map((each) => loadValue({ getBlob }, each))) : stored;
  if (typeof stored !== "object" || stored === null || !hasBlob(Object.values(stored))) return stored;
  const entries = await Promise.all(
    Object.entries(stored as JsonObject).map(async ([key, each]) => [key, await loadValue({ getBlob }, each)] as const),
  );
  return Object.fromEntries(entries);
}

/** Only one level deep: lists and objects of outputs are made here, and outputs themselves are stored whole. */
function hasBlob(values: readonly Json[]): boolean {
  return values.some((value) => isBlobValue(value));
}

/** The blobs that a stored value needs. */
export function blobsIn(stored: StoredValue | undefined): readonly string[] {
  if (stored === undefined || typeof stored !== "object" || stored === null) return [];
  const values = isBlobValue(stored) ? [stored] : Object.values(stored);
  return values.flatMap((value) => (isBlobValue(value) ? [value.$blob] : []));
}
