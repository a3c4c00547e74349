import { invalidOperation } from "./state-error.ts";

/** One step into a document: a string names an object key, an integer an array index. */
export type Segment = string | number;

/** Where a value lives in a document. The empty path is the document itself. */
export type Path = readonly Segment[];

/** No path, and no value at its path, goes deeper than this. */
export const MAX_DEPTH = 64;

/** Builds a checked path: `path("users", 0, "name")`. */
export function path(...segments: readonly Segment[]): Path {
  assertPath(segments);
  return Object.freeze(segments);
}

/** Refuses a path that is too deep or has a segment no document may be entered by. */
export function assertPath(segments: Path): void {
  if (segments.length > MAX_DEPTH) {
    throw invalidOperation(`a path has at most ${MAX_DEPTH} segments, this one has ${segments.length}`);
  }
  for (const segment of segments) assertSegment(segment, segments);
}

/** Refuses a segment that could reach a prototype, or an index no array can have. */
export function assertSegment(segment: Segment, whole: Path): void {
  if (typeof segment === "string") {
    if (isReservedKey(segment)) {
      throw invalidOperation(`"${segment}" is reserved and cannot be a path segment`, whole);
    }
  } else if (typeof segment === "number") {
    assertIndex(segment, whole);
  } else {
    throw invalidOperation("a path segment is a key or an index", whole);
  }
}

/** Keys that lead to a prototype in some consumer. Inside values they are ordinary; no path enters by them. */
export const RESERVED_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

export function isReservedKey(key: string): boolean {
  // Spelt out: this runs for every segment of every operation.
  return key === "__proto__" || key === "constructor" || key === "prototype";
}

/** Refuses an index that is negative, fractional or beyond the safe integers. */
export function assertIndex(index: number, whole: Path): void {
  if (!Number.isSafeInteger(index) || index < 0) {
    throw invalidOperation(`an array index must be a non-negative safe integer, not ${String(index)}`, whole);
  }
}

export function isSamePath(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((segment, position) => segment === right[position]);
}
