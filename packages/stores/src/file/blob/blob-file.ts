import { createHash } from "node:crypto";
import { BLOB_PIECE_BYTES, type BlobInfo, type BlobRange, invalidRequest, RepriseError } from "@reprise/contracts";
import { type OpenFile, readBytes } from "../disk/disk.ts";
import { LOG_FORMAT, tooNew } from "../log/log-line.ts";

/** A first line of JSON, and after it the bytes as they are. */
interface BlobHeader {
  readonly format: number;
  readonly media_type?: string;
}

/** What a file says of its blob, and where the bytes begin. */
export interface BlobHead {
  readonly info: BlobInfo;
  readonly start: number;
}

/** More than any media type needs. */
const HEADER_BYTES = 65_536;
const NEW_LINE = 0x0a;

export function encodeHeader(mediaType: string | undefined): Uint8Array {
  const header: BlobHeader = { format: LOG_FORMAT, ...(mediaType === undefined ? {} : { media_type: mediaType }) };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  if (line.length > HEADER_BYTES) throw invalidRequest(`A media type of ${line.length} bytes is too long.`);
  return line;
}

export async function readHead(file: OpenFile, ref: string): Promise<BlobHead> {
  const { size } = await file.stat();
  const beginning = await readBytes(file, 0, Math.min(size, HEADER_BYTES));
  const start = beginning.indexOf(NEW_LINE) + 1;
  const { format, media_type } = parseHeader(beginning.toString("utf8", 0, start), ref);
  if (format > LOG_FORMAT) throw tooNew(format);
  return { info: { ref, bytes: size - start, ...(media_type === undefined ? {} : { media_type }) }, start };
}

/** The pieces of a blob. When all of it is read, the last one is given out only if they are what its name says. */
export async function* readPieces(
  file: OpenFile,
  { info: { ref, bytes }, start: offset }: BlobHead,
  { start, end }: BlobRange,
): AsyncGenerator<Uint8Array, void> {
  const hash = start === 0 && end === bytes ? createHash("sha256") : undefined;
  if (start === end && hash !== undefined) assertSame(hash.digest("hex"), ref);
  for (let at = start; at < end; ) {
    const wanted = Math.min(BLOB_PIECE_BYTES, end - at);
    const piece = await readBytes(file, offset + at, wanted);
    if (piece.byteLength < wanted) throw damaged(ref);
    at += wanted;
    hash?.update(piece);
    if (at === end && hash !== undefined) assertSame(hash.digest("hex"), ref);
    yield piece;
  }
}

function assertSame(hash: string, ref: string): void {
  if (`blob:${hash}` !== ref) throw damaged(ref);
}

function parseHeader(line: string, ref: string): BlobHeader {
  try {
    const header: Partial<BlobHeader> = JSON.parse(line);
    if (typeof header.format === "number") return { ...header, format: header.format };
  } catch {
    // Told below.
  }
  throw damaged(ref);
}

function damaged(ref: string): RepriseError {
  return new RepriseError("CORRUPT_DATA", `Cannot read ${ref}: it is damaged.`, { details: { ref } });
}
