import type { Patch } from "@reprise/state";

/** A tail shorter than this is read as fast as a snapshot. */
const SMALLEST_TAIL_BYTES = 64 * 1024;
const BYTES_PER_OP = 48;

/**
 * Says when a thread is worth a snapshot: when the patches since the last one have outgrown it. So loading never reads more
 * than twice what it must, and all snapshots of a thread together stay in proportion to its patches.
 */
export class SnapshotBudget {
  #tailBytes = 0;
  #lastBytes = 0;

  get isSpent(): boolean {
    return this.#tailBytes > Math.max(SMALLEST_TAIL_BYTES, this.#lastBytes);
  }

  add(patches: readonly Patch[]): void {
    for (const { ops } of patches) for (const op of ops) this.#tailBytes += sizeOf("value" in op ? op.value : null);
  }

  /** A snapshot of this size was taken of the state as it is now. */
  begin(bytes: number): void {
    this.#tailBytes = 0;
    this.#lastBytes = bytes;
  }
}

/** Roughly what an operation takes when it is stored. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return BYTES_PER_OP + value.length;
  return typeof value === "object" && value !== null ? BYTES_PER_OP + JSON.stringify(value).length : BYTES_PER_OP;
}
