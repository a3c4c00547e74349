import type { PrunedThreads } from "@reprise/contracts";
import { isClaimLive } from "./claims.ts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { isPending } from "./entries.ts";
import { concludeDraft, onlyAnswer, type Plan } from "./plan.ts";
import type { ThreadAnswers, ThreadRequest } from "./request.ts";
import { ThreadDraft } from "./thread-draft.ts";

/** How many entries go at once. Who gets as many asks again. */
export const ENTRIES_AT_ONCE = 500;

const NOTHING: PrunedThreads = { versions: 0, entries: 0, threads: 0 };

export function demandPrune({ tenant, thread_id, entries_before }: ThreadRequest<"prune_thread">): ThreadDemand {
  const over = entries_before === null ? {} : { over_entries: { before: entries_before, limit: ENTRIES_AT_ONCE } };
  return { tenant, thread: { thread_id }, ...over };
}

/**
 * Forgets what may be forgotten of a thread. One that is damaged stays as it is, for inspection, and what an open
 * run may still need is kept.
 */
export function planPrune(
  { tenant, thread_id, history, idle_since }: ThreadRequest<"prune_thread">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["prune_thread"]> {
  if (rows.thread === undefined || rows.thread.damage !== null) return onlyAnswer(NOTHING);
  const draft = new ThreadDraft(tenant, rows.thread, rows);
  if (idle_since !== null && isIdleSince(draft, idle_since, now)) {
    const write = { write: "delete_thread", thread_id, epoch: draft.epoch } as const;
    return { writes: [write], answer: { ...NOTHING, threads: 1 }, signals: [] };
  }
  const versions = history === null ? 0 : cutHistory(draft, history);
  const entryIds = overEntries(draft);
  if (entryIds.length > 0) draft.append({ write: "forget_entries", entry_ids: entryIds });
  if (versions + entryIds.length === 0) return onlyAnswer(NOTHING);
  return concludeDraft(draft, { versions, entries: entryIds.length, threads: 0 }, []);
}

function isIdleSince(draft: ThreadDraft, time: number, now: number): boolean {
  const isBusy = draft.openRunId !== null || isClaimLive(draft, now) || draft.queue.next_at !== null;
  return !isBusy && draft.thread.updated_at < time && !draft.entries.some(({ entry }) => isPending(entry));
}

/** Returns how many versions go. Never more than an open run began with: a rollback goes back to there. */
function cutHistory(draft: ThreadDraft, { up_to, state }: { readonly up_to: number; readonly state: string }): number {
  const bound = draft.openRun?.record.base_version ?? draft.thread.version;
  const versions = up_to - draft.prunedVersion;
  if (up_to > bound || versions <= 0) return 0;
  draft.prunedVersion = up_to;
  draft.append({ write: "snapshot", version: up_to, state });
  draft.append({ write: "prune", up_to });
  return versions;
}

/** What asked for the open run stays as long as the run. */
function overEntries(draft: ThreadDraft): readonly string[] {
  const over = draft.entries.filter(({ entry }) => !isPending(entry) && entry.run_id !== draft.openRunId);
  return over.map(({ entry }) => entry.entry_id);
}
