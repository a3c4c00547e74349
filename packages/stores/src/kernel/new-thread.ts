import { FIRST_DIGEST, RepriseError, type Thread } from "@reprise/contracts";
import type { ThreadRows } from "./demand.ts";
import { ThreadDraft } from "./thread-draft.ts";

/** A draft of a thread with nothing on it. Its epochs continue from those of a deleted one with its id. */
export function draftThread(tenant: string, thread: Omit<Thread, "version">, rows: ThreadRows): ThreadDraft {
  const { created_at, updated_at, ...named } = thread;
  const row = {
    thread: { ...named, version: 0, created_at, updated_at },
    revision: 0,
    digest: FIRST_DIGEST,
    generation: 0,
    epoch: rows.retired_epoch,
    claim: null,
    open_run_id: null,
    recover_at: 0,
    is_given_back: false,
    losses: { version: 0, count: 0 },
    arrivals: 0,
    messages: 0,
    pruned_version: 0,
    promised_version: 0,
    damage: null,
    work: null,
  };
  return new ThreadDraft(tenant, row, rows);
}

export function assertThreadFree(threadId: string, rows: ThreadRows): void {
  if (rows.thread === undefined) return;
  throw new RepriseError("THREAD_EXISTS", `There is a thread ${threadId} already.`, {
    details: { thread_id: threadId },
  });
}
