import { NO_ROWS } from "../../kernel/held-write.ts";
import { draftThread } from "../../kernel/new-thread.ts";
import type { ThreadRow } from "../../kernel/rows.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";

/** A thread as it is when nothing is known of it: what its log says is put over that. */
export function freshThread({ tenant: { tenant }, threadId, retiredEpoch }: ThreadTables): ThreadRow {
  const thread = { thread_id: threadId, metadata: {}, created_at: 0, updated_at: 0 };
  const [write] = draftThread(tenant, thread, { ...NO_ROWS, retired_epoch: retiredEpoch }).writes();
  if (write?.write !== "thread") throw new Error("A thread is made by other writes than it was.");
  return write.row;
}
