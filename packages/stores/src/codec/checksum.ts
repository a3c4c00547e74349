import { crc32 } from "node:zlib";

/** The checksum stored beside a text: enough to find a flipped bit, small enough to cost nothing. */
export function checksumOf(text: string): number {
  return crc32(text);
}
