import { BLOB_PIECE_BYTES, type BlobRange, type BlobReading, RepriseError } from "@reprise/contracts";
import { expect } from "vitest";
import { expectContent, makeBytes, refOf } from "./blob-content.ts";
import type { BlobLaw } from "./describe-blob-store.ts";

const TENANT = "tenant-1";
const PIECE = BLOB_PIECE_BYTES;
const LARGE = makeBytes(3 * PIECE + 5);
const SMALL = makeBytes(1_000, 2);

/** Ranges of so many bytes: all of it, its ends, across where pieces meet, nothing, and more than there is. */
function rangesOf(bytes: number): readonly BlobRange[] {
  const starts = [0, 1, PIECE - 1, PIECE, 2 * PIECE, bytes - 1, bytes, bytes + 10];
  return starts.flatMap((start) => [0, 1, 2, PIECE + 1, bytes].map((length) => ({ start, end: start + length })));
}

async function gather({ content }: BlobReading): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) {
    expect(piece.byteLength).toBeGreaterThan(0);
    expect(piece.byteLength).toBeLessThanOrEqual(PIECE);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads one piece and stops. */
async function readFirst({ content }: BlobReading): Promise<Uint8Array> {
  for await (const piece of content) return piece;
  return expect.fail("there was no piece");
}

/** A blob that is read piece by piece, or in part. */
export function readingLaws(law: BlobLaw): void {
  law("gives out pieces that are not too long, all of it or a range", async ({ blobs }) => {
    for (const content of [LARGE, SMALL, new Uint8Array()]) {
      const info = await blobs.put(TENANT, content, { media_type: "video/mp4" });
      const reading = await blobs.read(TENANT, info.ref);
      expect(reading.info).toEqual(info);
      expect(Buffer.compare(await gather(reading), content)).toBe(0);
      for (const range of [...rangesOf(content.byteLength), { start: 5, end: 2 }].filter(({ start }) => start >= 0)) {
        const part = await blobs.read(TENANT, info.ref, range);
        expect(part.info).toEqual(info);
        const wanted = content.subarray(range.start, Math.max(range.start, range.end));
        expect([range, Buffer.compare(await gather(part), wanted)]).toEqual([range, 0]);
      }
    }
  });

  law("refuses what is no range, and has no range of what is not there", async ({ blobs }) => {
    const { ref } = await blobs.put(TENANT, SMALL);
    for (const bound of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      for (const range of [
        { start: bound, end: 9 },
        { start: 0, end: bound },
      ]) {
        await expect(blobs.read(TENANT, ref, range)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      }
    }
    for (const none of [refOf(LARGE), "blob:", "blob:../../etc/passwd", "blob:half\ud83d", "blob:nul\u0000"]) {
      const reading = blobs.read(TENANT, none, { start: 0, end: 1 });
      await expect(reading).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    }
    await expect(blobs.read("tenant-2", ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
  });

  law("gives out pieces that are the reader's own, to several at once", async ({ blobs }) => {
    const { ref } = await blobs.put(TENANT, LARGE);
    (await readFirst(await blobs.read(TENANT, ref))).fill(7);
    const readings = await Promise.all(Array.from({ length: 4 }, () => blobs.read(TENANT, ref)));
    for (const whole of await Promise.all(readings.map(gather))) expect(Buffer.compare(whole, LARGE)).toBe(0);
  });

  law("lets readers stop at any piece, or never begin", async ({ blobs }) => {
    const { ref } = await blobs.put(TENANT, LARGE);
    for (let reader = 0; reader < 10; reader += 1) {
      const reading = await blobs.read(TENANT, ref, { start: reader, end: LARGE.byteLength });
      if (reader % 2 === 0) expect((await readFirst(reading))[0]).toBe(LARGE[reader]);
    }
    await expectContent(blobs, TENANT, LARGE);
    await blobs.delete(TENANT, ref);
    await blobs.put(TENANT, LARGE);
    await expectContent(blobs, TENANT, LARGE);
  });

  law("never gives out other bytes or an early end when a blob is deleted meanwhile", async (opened) => {
    const { blobs } = opened;
    for (const isPutAgain of [false, true]) {
      const { ref } = await blobs.put(TENANT, LARGE);
      const readings = [await blobs.read(TENANT, ref), await blobs.read(TENANT, ref, { start: 3, end: 2 * PIECE })];
      const readers = readings.map(({ content }) => content[Symbol.asyncIterator]());
      await readers[0]?.next();
      await blobs.delete(TENANT, ref);
      if (isPutAgain) await blobs.put(TENANT, LARGE);
      for (const [index, reader] of readers.entries()) {
        let at = index === 0 ? PIECE : 3;
        const end = index === 0 ? LARGE.byteLength : 2 * PIECE;
        try {
          for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
            const same = LARGE.subarray(at, at + next.value.byteLength);
            expect(Buffer.compare(next.value, same)).toBe(0);
            at += same.byteLength;
          }
          expect(at).toBe(end);
        } catch (error) {
          if (!RepriseError.is(error, "BLOB_NOT_FOUND")) throw error;
        }
      }
      await blobs.delete(TENANT, ref);
      expect((await opened.countStray?.()) ?? 0).toBe(0);
    }
  });
}
