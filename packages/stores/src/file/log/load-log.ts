import { type OpenFile, readBytes } from "../disk/disk.ts";
import { decodeLine } from "./log-line.ts";
import type { StoredWrite } from "./stored-write.ts";

const NEW_LINE = 0x0a;
const CHUNK_BYTES = 1_048_576;

/** A piece of a log up to the end of a line, or up to the end of the log. */
interface RawLine {
  readonly offset: number;
  readonly bytes: Buffer;
  /** Whether it has its end. */
  readonly isWhole: boolean;
}

/** All lines of a log, in order. Holds no more of it at a time than a chunk and a line. */
async function* readLines(file: OpenFile): AsyncGenerator<RawLine> {
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

/** The first line of a log: whose it is, and the last epoch of a thread with this id that was deleted. */
export interface LogHeader {
  readonly tenant: string;
  readonly thread_id: string;
  readonly retired_epoch: number;
}

/** One operation. */
export interface LoadedLine {
  readonly offset: number;
  readonly length: number;
  readonly writes: readonly StoredWrite[];
}

/** What is in a log, as far as it can be read. */
export interface LoadedLog {
  /** Undefined when it cannot be read: then it is unknown whose log it is. */
  readonly header: LogHeader | undefined;
  readonly lines: readonly LoadedLine[];
  /** Where the log ends. What comes after was never acknowledged and is to be cut off. */
  readonly end: number;
  /** Whether the last byte, which ends the last line, is another one. */
  readonly lacksEnd: boolean;
  /** The place of the first thing that was acknowledged and cannot be read. */
  readonly damagedAt: number | undefined;
}

/** Something in a log that is not as it was written. */
interface Spoilt {
  readonly offset: number;
  /** Whether it looks like the work of a crash: it stops in the middle, or has blocks that were never written. */
  readonly looksTorn: boolean;
}

/**
 * Reads a log. Every line says how much of the log was durable before it, so what a crash left can be told from damage: the one
 * is after everything that is known to be durable and unfinished, the other is all the rest.
 */
export async function loadLog(file: OpenFile): Promise<LoadedLog> {
  const spoilt: Spoilt[] = [];
  const lines: LoadedLine[] = [];
  let header: LogHeader | undefined;
  let durable = 0;
  let length = 0;
  let lacksEnd = false;
  for await (const raw of readLines(file)) {
    length = raw.offset + raw.bytes.length;
    const line = decodeLine(raw.isWhole ? raw.bytes : withEnd(raw.bytes));
    lacksEnd = !raw.isWhole && line?.isContentSound === true;
    if (line?.isContentSound !== true) spoilt.push({ offset: raw.offset, looksTorn: looksTorn(raw) });
    if (line === undefined) continue;
    durable = Math.max(durable, line.durable);
    // The checksum says that it is as it was written: the header by `ThreadLog`, the rest by its lane.
    if (raw.offset === 0) header = line.rows as LogHeader;
    else lines.push({ offset: raw.offset, length: raw.bytes.length, writes: line.rows as readonly StoredWrite[] });
  }
  const end = spoilt.find((line) => line.looksTorn && line.offset >= durable)?.offset ?? length;
  const kept = lines.filter(({ offset }) => offset < end);
  return { header, lines: kept, end, lacksEnd, damagedAt: spoilt.find(({ offset }) => offset < end)?.offset };
}

/** A crash never leaves more than the beginning of a line. So with one byte more than that, it is the byte that is wrong. */
function withEnd(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, -1), Buffer.from("\n")]);
}

/** JSON has no zero bytes in it. One alone may be another that lost a bit; blocks are longer. */
function looksTorn({ bytes, isWhole }: RawLine): boolean {
  return !isWhole || bytes.includes("\0\0");
}
