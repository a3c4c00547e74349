import { invalidRequest, RepriseError } from "../errors/reprise-error.ts";
import type { BlobContent, BlobRange, BlobReading, LoadedBlob, PutBlobOptions } from "./blob-store.ts";

/** How long a piece of a blob is at most: large enough that what is done once a piece costs little, small enough to be held often. */
export const BLOB_PIECE_BYTES = 262_144;

/**
 * Content as pieces of `BLOB_PIECE_BYTES`, but for the last one, which is shorter and never empty. Each is a copy of its own, in a
 * buffer of its own.
 */
export async function* toBlobPieces(
  content: BlobContent,
  { max_bytes = Number.POSITIVE_INFINITY }: Pick<PutBlobOptions, "max_bytes"> = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  if (!(Symbol.asyncIterator in content)) {
    if (content.byteLength > max_bytes) throw blobTooLarge(max_bytes);
    yield* cutPieces(content);
    return;
  }
  let piece = new Uint8Array(0);
  let bytes = 0;
  let filled = 0;
  for await (const given of content) {
    // Types end where a stream of text begins.
    if (!ArrayBuffer.isView(given)) throw invalidRequest("Each piece of a blob must be a Uint8Array.");
    bytes += given.byteLength;
    if (bytes > max_bytes) throw blobTooLarge(max_bytes);
    for (let taken = 0; taken < given.byteLength; ) {
      if (piece.byteLength === 0) piece = new Uint8Array(BLOB_PIECE_BYTES);
      const part = given.subarray(taken, taken + BLOB_PIECE_BYTES - filled);
      piece.set(part, filled);
      filled += part.byteLength;
      taken += part.byteLength;
      if (filled < BLOB_PIECE_BYTES) continue;
      yield piece;
      piece = new Uint8Array(0);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.slice(0, filled);
}

/** Bytes that are there as pieces of them, each a copy. */
export function* cutPieces(content: Uint8Array): Generator<Uint8Array<ArrayBuffer>, void> {
  for (let start = 0; start < content.byteLength; start += BLOB_PIECE_BYTES) {
    // Not `slice`: that of a Node buffer does not copy.
    yield new Uint8Array(content.subarray(start, start + BLOB_PIECE_BYTES));
  }
}

/** A range as far as so many bytes reach; all of them unless one is given. */
export function cutRange(range: BlobRange | undefined, bytes: number): BlobRange {
  if (range === undefined) return { start: 0, end: bytes };
  for (const bound of [range.start, range.end]) {
    if (!Number.isSafeInteger(bound) || bound < 0)
      throw invalidRequest(`The bounds of a blob range must be whole numbers from 0 (got ${bound}).`);
  }
  const end = Math.min(range.end, bytes);
  return { start: Math.min(range.start, end), end };
}

/** All that is read of a whole blob. */
export async function loadWhole({ info, content }: BlobReading): Promise<LoadedBlob> {
  const whole = new Uint8Array(info.bytes);
  let filled = 0;
  for await (const piece of content) {
    whole.set(piece, filled);
    filled += piece.byteLength;
  }
  return { info, content: whole };
}

function blobTooLarge(maxBytes: number): RepriseError {
  const message = `Cannot put a blob: it has more than ${maxBytes} bytes.`;
  return new RepriseError("BLOB_TOO_LARGE", message, { details: { max_bytes: maxBytes } });
}
