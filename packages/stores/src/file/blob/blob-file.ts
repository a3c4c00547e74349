import { createHash } from "node:crypto";
import { type BlobInfo, invalidRequest, RepriseError } from "@reprise/contracts";
import { type OpenFile, readBytes, writeAll } from "../disk/disk.ts";
import { LOG_FORMAT, tooNew } from "../log/log-line.ts";

/** A first line of JSON, and after it the bytes as they are. */
interface BlobHeader {
  readonly format: number;
  readonly media_type?: string;
}

/** More than any media type needs. */
const HEADER_BYTES = 65_536;
const NEW_LINE = 0x0a;

export function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

export async function writeBlob(file: OpenFile, content: Uint8Array, mediaType: string | undefined): Promise<void> {
  const header: BlobHeader = { format: LOG_FORMAT, ...(mediaType === undefined ? {} : { media_type: mediaType }) };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  if (line.length > HEADER_BYTES) throw invalidRequest(`A media type of ${line.length} bytes is too long.`);
  await writeAll(file, line, 0);
  await writeAll(file, content, line.length);
}

/** What a file says of its blob, and where the bytes begin. */
export async function readInfo(
  file: OpenFile,
  ref: string,
): Promise<{ readonly info: BlobInfo; readonly start: number }> {
  const { size } = await file.stat();
  const beginning = await readBytes(file, 0, Math.min(size, HEADER_BYTES));
  const start = beginning.indexOf(NEW_LINE) + 1;
  const { format, media_type } = parseHeader(beginning.toString("utf8", 0, start), ref);
  if (format > LOG_FORMAT) throw tooNew(format);
  return { info: { ref, bytes: size - start, ...(media_type === undefined ? {} : { media_type }) }, start };
}

export async function readBlob(file: OpenFile, ref: string): Promise<{ info: BlobInfo; content: Uint8Array }> {
  const { info, start } = await readInfo(file, ref);
  const content = await readBytes(file, start, info.bytes);
  if (`blob:${hashOf(content)}` !== ref) throw damaged(ref);
  return { info, content };
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
