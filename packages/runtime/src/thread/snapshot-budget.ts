import type { Json, JsonObject, Patch } from "@reprise/state";

/** A tail shorter than this is read as fast as a snapshot. */
const SMALLEST_TAIL_BYTES = 64 * 1024;
const BYTES_PER_OP = 48;
const BYTES_PER_SCALAR = 8;

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
    for (const { ops } of patches) {
      for (const op of ops) this.#tailBytes += BYTES_PER_OP + ("value" in op ? sizeOf(op.value) : 0);
    }
  }

  /** A snapshot of this size was taken of the state as it is now. */
  begin(bytes: number): void {
    this.#tailBytes = 0;
    this.#lastBytes = bytes;
  }
}

/** Roughly the stored size of a value. Estimated, not encoded: most patches are small and the text is not needed. */
function sizeOf(value: Json): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return BYTES_PER_SCALAR;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 2);
  // No array, as was just seen: the compiler does not follow that through lists that are read-only.
  const object = value as JsonObject;
  return Object.keys(object).reduce((sum, key) => sum + key.length + 4 + sizeOf(object[key] ?? null), 2);
}
