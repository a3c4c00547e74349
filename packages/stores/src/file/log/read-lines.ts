import { type OpenFile, readBytes } from "../disk/disk.ts";

const NEW_LINE = 0x0a;
const CHUNK_BYTES = 1_048_576;

/** A piece of a log up to the end of a line, or up to the end of the log. */
export interface RawLine {
  readonly offset: number;
  readonly bytes: Buffer;
  /** Whether it has its end. */
  readonly isWhole: boolean;
}

/** All lines of a log, in order. Holds no more of it at a time than a chunk and a line. */
export async function* readLines(file: OpenFile): AsyncGenerator<RawLine> {
  let pieces: Buffer[] = [];
  let offset = 0;
  for (let position = 0; ; ) {
    const chunk = await readBytes(file, position, CHUNK_BYTES);
    position += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, start)) {
      const last = chunk.subarray(start, end + 1);
      const bytes = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
      yield { offset, bytes, isWhole: true };
      pieces = [];
      offset += bytes.length;
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
    if (chunk.length < CHUNK_BYTES) break;
  }
  if (pieces.length > 0) yield { offset, bytes: Buffer.concat(pieces), isWhole: false };
}
