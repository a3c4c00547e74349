/** Which bytes are wanted: from the first to the last, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a `Range` header. Undefined is all of it, which is also the answer to several ranges at once and to words nobody knows;
 * `unsatisfiable` is a range that lies behind the end.
 */
export function readRange(header: string | null, bytes: number): ByteRange | "unsatisfiable" | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return undefined;
  if (from === "") {
    // The last so many.
    const wanted = Math.min(Number(to), bytes);
    return wanted === 0 ? "unsatisfiable" : { first: bytes - wanted, last: bytes - 1 };
  }
  const first = Number(from);
  const last = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (first >= bytes) return "unsatisfiable";
  return last < first ? undefined : { first, last };
}
