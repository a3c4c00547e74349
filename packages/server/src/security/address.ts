/** An address as bits, so that it can be compared with a range. IPv4 is what it is within IPv6: one form for all. */
const MAPPED = 0xffff_0000_0000n;
const MAPPED_BITS = 96;

/** Reads an IP address; undefined for what is none. */
export function readAddress(text: string): bigint | undefined {
  const [bare = ""] = text.replace(/^\[(.*)\]$/, "$1").split("%", 1);
  return bare.includes(":") ? readLong(bare) : readShort(bare);
}

function readShort(text: string): bigint | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((value, part) => value * 256n + BigInt(part), MAPPED >> 32n);
}

function readLong(text: string): bigint | undefined {
  const [, head = text, tail] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const last = tail === undefined ? undefined : readShort(tail);
  if (tail !== undefined && last === undefined) return undefined;
  const low = last === undefined ? [] : [(last >> 16n) & 0xffffn, last & 0xffffn].map((part) => part.toString(16));
  const whole = tail === undefined ? head : `${head}${low.join(":")}`;
  const sides = whole.split("::");
  if (sides.length > 2) return undefined;
  const [left = [], right = []] = sides.map((side) => (side === "" ? [] : side.split(":")));
  const missing = 8 - left.length - right.length;
  if (sides.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => "0"), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** Addresses with the same beginning. */
export interface AddressRange {
  readonly start: bigint;
  readonly bits: number;
}

/** Reads an address, or a range as `10.0.0.0/8`; undefined for what is neither. */
export function readRange(text: string): AddressRange | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const start = readAddress(address);
  if (start === undefined || rest.length > 0) return undefined;
  const offset = address.includes(":") ? 0 : MAPPED_BITS;
  const bits = length === undefined ? 128 : /^\d{1,3}$/.test(length) ? Number(length) + offset : 129;
  return bits > 128 ? undefined : { start, bits };
}

export function isInRange(address: bigint, { start, bits }: AddressRange): boolean {
  const rest = BigInt(128 - bits);
  return address >> rest === start >> rest;
}

/**
 * The unit by which callers are counted: the address itself, or the network of an IPv6 address, because the owner of one has
 * all the others in it.
 */
export function callerOf(address: bigint): string {
  const isShort = isInRange(address, { start: MAPPED, bits: MAPPED_BITS });
  return (isShort ? address : address >> 64n).toString(16);
}
