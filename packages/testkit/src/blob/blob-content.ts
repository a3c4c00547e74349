import { createHash } from "node:crypto";
import type { BlobStore } from "@reprise/contracts";
import { expect } from "vitest";

/** The reference that these bytes have, wherever they are stored. */
export function refOf(content: Uint8Array): string {
  return `blob:${createHash("sha256").update(content).digest("hex")}`;
}

/** Bytes in which every value occurs and no stretch looks like another. */
export function makeBytes(length: number, seed: number = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    // A linear congruential generator; the high bits are the ones that vary well.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** Expects a blob to be there with these bytes. Compared as buffers: a matcher would look at millions of numbers. */
export async function expectContent(blobs: BlobStore, tenant: string, content: Uint8Array): Promise<void> {
  const found = await blobs.get(tenant, refOf(content));
  expect(found.info).toMatchObject({ ref: refOf(content), bytes: content.byteLength });
  expect(found.content.byteLength).toBe(content.byteLength);
  expect(Buffer.compare(found.content, content)).toBe(0);
}
