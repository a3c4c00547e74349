/** The types of columns that rows are written to and asked for by. */
export type ColumnType = "text" | "int8" | "float8" | "int4" | "int2";

/** Postgres' numbers of the types. */
const TYPE_NUMBERS: Readonly<Record<ColumnType, number>> = { text: 25, int8: 20, float8: 701, int4: 23, int2: 21 };

const HEADER_BYTES = 20;

/**
 * An array in Postgres' binary form: as text, every quote of every body would have to be escaped and read back. One array is
 * one column of many rows, so that a statement stays the same however many there are.
 */
export function encodeArray(type: ColumnType, values: readonly (string | number | null)[]): Uint8Array {
  const sizes = values.map((value) => sizeOf(type, value));
  const buffer = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), HEADER_BYTES));
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(sizes.includes(-1) ? 1 : 0, 4);
  buffer.writeInt32BE(TYPE_NUMBERS[type], 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const [index, value] of values.entries()) {
    const size = sizes[index] ?? -1;
    at = buffer.writeInt32BE(size, at);
    if (value !== null) write(buffer, at, type, value);
    at += Math.max(size, 0);
  }
  // An empty array has no dimensions at all.
  return values.length === 0 ? buffer.subarray(0, 12) : buffer;
}

/** -1 stands for null. */
function sizeOf(type: ColumnType, value: string | number | null): number {
  if (value === null) return -1;
  return type === "text" ? Buffer.byteLength(String(value)) : WIDTHS[type];
}

const WIDTHS: Readonly<Record<Exclude<ColumnType, "text">, number>> = { int8: 8, float8: 8, int4: 4, int2: 2 };

function write(buffer: Buffer, at: number, type: ColumnType, value: string | number): void {
  if (type === "text") buffer.write(String(value), at);
  else if (type === "int4") buffer.writeInt32BE(toSigned(Number(value)), at);
  else if (type === "int2") buffer.writeInt16BE(Number(value), at);
  else if (type === "int8") buffer.writeBigInt64BE(BigInt(value), at);
  else buffer.writeDoubleBE(Number(value), at);
}

/** A checksum has 32 bits, and Postgres only numbers with a sign for them. */
export function toSigned(value: number): number {
  return value > 0x7f_ff_ff_ff && value <= 0xff_ff_ff_ff ? value - 2 ** 32 : value;
}
