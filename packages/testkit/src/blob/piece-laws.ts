import { setImmediate } from "node:timers/promises";
import { BLOB_PIECE_BYTES, RepriseError } from "@reprise/contracts";
import { expect } from "vitest";
import { expectContent, makeBytes, refOf } from "./blob-content.ts";
import type { BlobLaw } from "./describe-blob-store.ts";
import type { OpenedBlobStore } from "./open-blob-store.ts";

/** Bytes in pieces of these lengths, over and over. All are in one buffer, as those of a stream may be. */
async function* inPieces(content: Uint8Array, ...lengths: readonly number[]): AsyncGenerator<Uint8Array, void> {
  const buffer = new Uint8Array(Math.max(...lengths));
  for (let start = 0, turn = 0; start < content.byteLength; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 0;
    const piece = content.subarray(start, start + length);
    buffer.set(piece);
    yield buffer.subarray(0, piece.byteLength);
    start += piece.byteLength;
    if (turn % 16 === 0) await setImmediate();
  }
}

/** A source that breaks off after its bytes, and records whether it was closed early. */
class BrokenSource implements AsyncIterable<Uint8Array> {
  readonly error: Error = new Error("The source broke off.");
  readonly #content: Uint8Array;
  isClosed = false;

  constructor(content: Uint8Array) {
    this.#content = content;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      yield* inPieces(this.#content, 100_000, 1);
      throw this.error;
    } finally {
      this.isClosed = true;
    }
  }
}

const TENANT = "tenant-1";
const PIECE = BLOB_PIECE_BYTES;
const LARGE = makeBytes(3 * PIECE + 5);

async function expectNothingStray({ countStray }: OpenedBlobStore): Promise<void> {
  expect((await countStray?.()) ?? 0).toBe(0);
}

/** A blob that comes piece by piece. */
export function pieceLaws(law: BlobLaw): void {
  law("takes pieces, however much they come to", async (opened) => {
    const { blobs } = opened;
    for (const [seed, length] of [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, LARGE.byteLength].entries()) {
      const content = makeBytes(length, seed);
      const info = await blobs.put(TENANT, inPieces(content, 70_000, 0, 1), { media_type: `type/${seed}` });
      expect(info).toEqual({ ref: refOf(content), bytes: length, media_type: `type/${seed}` });
      await expectContent(blobs, TENANT, content);
    }
    await expectNothingStray(opened);
  });

  law("takes pieces of any length, none too, and does not keep what it was lent", async ({ blobs }) => {
    const shapes = [[1], [0, 0, 7], [PIECE], [PIECE + 1], [3, 2 * PIECE]];
    for (const [seed, lengths] of shapes.entries()) {
      const content = makeBytes(Math.max(...lengths) < 10 ? 500 : 2 * PIECE + 17, seed + 50);
      await blobs.put(TENANT, inPieces(content, ...lengths));
      await expectContent(blobs, TENANT, content);
    }
    expect(await blobs.put(TENANT, inPieces(new Uint8Array(), 1))).toEqual({ ref: refOf(new Uint8Array()), bytes: 0 });
  });

  law("is the same blob whole or in pieces, and says of it what was said first", async (opened) => {
    const first = await opened.blobs.put(TENANT, LARGE, { media_type: "video/mp4" });
    expect(await opened.blobs.put(TENANT, inPieces(LARGE, 99_999), { media_type: "image/png" })).toEqual(first);
    expect(await opened.blobs.put(TENANT, LARGE)).toEqual(first);
    await expectContent(opened.blobs, TENANT, LARGE);
    await expectNothingStray(opened);
  });

  law("has nothing of what broke off, and throws what its source threw", async (opened) => {
    for (const length of [0, 10, PIECE, PIECE + 1, LARGE.byteLength]) {
      const content = LARGE.subarray(0, length);
      const source = new BrokenSource(content);
      const thrown: unknown = await opened.blobs.put(TENANT, source).catch((error: unknown) => error);
      expect(thrown).toBe(source.error);
      await expect(opened.blobs.read(TENANT, refOf(content))).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
      await expectNothingStray(opened);
    }
    await opened.blobs.put(TENANT, inPieces(LARGE, 50_000));
    await expectContent(opened.blobs, TENANT, LARGE);
  });

  law("refuses what is larger than it may be, and reads no further", async (opened) => {
    for (const max_bytes of [0, 9, PIECE, 3 * PIECE]) {
      const content = LARGE.subarray(0, max_bytes + 1);
      const source = new BrokenSource(content);
      for (const given of [content, source]) {
        const refusal: unknown = await opened.blobs.put(TENANT, given, { max_bytes }).catch((error: unknown) => error);
        expect(refusal).toMatchObject({ code: "BLOB_TOO_LARGE", details: { max_bytes } });
      }
      expect(source.isClosed).toBe(true);
      await expect(opened.blobs.read(TENANT, refOf(content))).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
      await expectNothingStray(opened);
      const fitting = content.subarray(0, max_bytes);
      expect((await opened.blobs.put(TENANT, inPieces(fitting, 60_000), { max_bytes })).bytes).toBe(max_bytes);
    }
  });

  law("refuses what is no bytes, and a tenant that is none before it reads anything", async (opened) => {
    async function* text(): AsyncGenerator<never, void> {
      // What a program without types may do.
      yield "text" as never;
    }
    await expect(opened.blobs.put(TENANT, text())).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    const source = new BrokenSource(LARGE);
    await expect(opened.blobs.put("../up", source)).rejects.toMatchObject({ code: "INVALID_ID" });
    expect(source.isClosed).toBe(false);
    await expectNothingStray(opened);
  });

  law("is one blob when many bring the same pieces at once, and each tenant's own", async (opened) => {
    const other = (await opened.reopen?.()) ?? opened.blobs;
    const puts = Array.from({ length: 6 }, (_, index) => {
      const blobs = index % 2 === 0 ? opened.blobs : other;
      return blobs.put(index < 4 ? TENANT : "tenant-2", inPieces(LARGE, 90_000 + index));
    });
    for (const info of await Promise.all(puts)) expect(info).toEqual({ ref: refOf(LARGE), bytes: LARGE.byteLength });
    await expectNothingStray(opened);
    await other.delete(TENANT, refOf(LARGE));
    const gone: unknown = await opened.blobs.get(TENANT, refOf(LARGE)).catch((error: unknown) => error);
    expect(RepriseError.is(gone, "BLOB_NOT_FOUND")).toBe(true);
    await expectContent(opened.blobs, "tenant-2", LARGE);
    await opened.blobs.delete("tenant-2", refOf(LARGE));
    await expectNothingStray(opened);
  });
}
