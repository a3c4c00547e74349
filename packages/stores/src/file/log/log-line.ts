import { crc32 } from "node:zlib";
import { RepriseError } from "@reprise/contracts";
import { parseJson } from "@reprise/state";

/** The format of lines that this version writes. It refuses newer ones. */
export const LOG_FORMAT = 1;

/** Stands for the content of a line that has none. */
const NO_CONTENT = "0";

/** A line as it was written. */
export interface LogLine {
  /** How much of the log was on the disk when this line was written: what comes before can no longer be torn. */
  readonly durable: number;
  /** What the line does to the rows, parsed. */
  readonly rows: unknown;
  /** Long texts, as JSON, which are only parsed on demand. */
  readonly content: Buffer;
  readonly isContentSound: boolean;
}

/**
 * Writes a line: a JSON array of a checksum, the format, the durable length, the content's checksum, the length of the rows, the
 * rows and the content. Rows and content have a checksum each, because the rows say what is where: they can be right when a
 * text is damaged. The first checksum is over all that follows it up to the end of the rows.
 */
export function encodeLine(
  rows: string,
  content: string | undefined,
  durable: number,
  format: number = LOG_FORMAT,
): Buffer {
  const texts = content ?? NO_CONTENT;
  const head = `${format},${durable},"${checksum(texts)}",${Buffer.byteLength(rows)},${rows}`;
  return Buffer.from(`["${checksum(head)}",${head},${texts}]\n`);
}

const PREFIX = /^\["([0-9a-f]{8})",(\d{1,9}),(\d{1,16}),"([0-9a-f]{8})",(\d{1,16}),/;
const LONGEST_PREFIX = 80;
const HEAD_START = 12;

/** Reads a line with its end. Undefined when its rows are not what was written; throws `FORMAT_TOO_NEW`. */
export function decodeLine(line: Buffer): LogLine | undefined {
  const prefix = PREFIX.exec(line.toString("latin1", 0, LONGEST_PREFIX));
  if (prefix === null) return undefined;
  const [{ length: rowsStart }, headSum, format, durable, contentSum, rowsLength] = prefix;
  const rowsEnd = rowsStart + Number(rowsLength);
  if (rowsEnd >= line.length || checksum(line.subarray(HEAD_START, rowsEnd)) !== headSum) return undefined;
  if (Number(format) > LOG_FORMAT) throw tooNew(Number(format));
  const content = line.subarray(rowsEnd + 1, -2);
  const isFramed = line[rowsEnd] === COMMA && line.at(-2) === BRACKET;
  const rows: unknown = parseJson(line.toString("utf8", rowsStart, rowsEnd));
  return { durable: Number(durable), rows, content, isContentSound: isFramed && checksum(content) === contentSum };
}

const COMMA = 0x2c;
const BRACKET = 0x5d;

function checksum(content: string | Buffer): string {
  return crc32(content).toString(16).padStart(8, "0");
}

export function tooNew(format: number): RepriseError {
  const message = `The store was written by a newer version: its format is ${format}, this one knows ${LOG_FORMAT}.`;
  return new RepriseError("FORMAT_TOO_NEW", message, { details: { format, supported: LOG_FORMAT } });
}
