import type { EventCursor, TenantStore } from "@reprise/contracts";

/**
 * How far the events that a reader has are committed. A cursor of a lost owner may count events that never were: then a later owner
 * has given their numbers to other events, so a `seq` alone says nothing.
 */
export async function committedSeq(store: TenantStore, { run_id, epoch, seq }: EventCursor): Promise<number> {
  return Math.min(seq, await store.lastSeqOfEpoch(run_id, epoch));
}
