import type { Op } from "./op.ts";

/** An ordered list of operations that apply together or not at all. */
export interface Patch {
  readonly ops: readonly Op[];
}

/** A patch with its provenance. All of it comes from the caller: the engine reads no clock and makes no ids. */
export interface TrackedPatch extends Patch {
  readonly id: string;
  /** The author of the change: a tool, a plugin, a person. */
  readonly source?: string;
  readonly description?: string;
  readonly timestamp_ms?: number;
}
