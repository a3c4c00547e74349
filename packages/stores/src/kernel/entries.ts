import { activeAgentOf, type EntryStatus, MAX_ATTEMPTS, type MailboxEntry } from "@reprise/contracts";
import type { Problem } from "./request.ts";
import type { EntryRow } from "./rows.ts";
import type { ThreadDraft } from "./thread-draft.ts";

/** Puts an entry into the thread's mailbox. */
export function addEntry(draft: ThreadDraft, entry: EntryRow["entry"], request: string | null): EntryRow {
  draft.arrivals += 1;
  const row: EntryRow = { entry, request, arrival: draft.arrivals };
  draft.putEntry(row);
  return row;
}

/** For which run, why, and from when on if not at once. */
interface WakeReason {
  readonly runId: string;
  readonly reason?: string;
  readonly at?: number;
  readonly now: number;
}

/** Puts a `resume` or `cancel` entry for a run into the mailbox. */
export function addWake(
  draft: ThreadDraft,
  kind: "resume" | "cancel",
  { runId, reason, at, now }: WakeReason,
): EntryRow {
  const entry: EntryRow["entry"] = {
    entry_id: `${runId}_${kind}_${draft.arrivals + 1}`,
    thread_id: draft.threadId,
    kind,
    run_id: runId,
    agent_id: agentOf(draft, runId),
    busy_policy: "enqueue",
    priority: 0,
    generation: draft.generation,
    status: "queued",
    available_at: at ?? now,
    attempts: 0,
    ...(reason === undefined ? {} : { reason }),
    created_at: now,
    updated_at: now,
  };
  return addEntry(draft, entry, null);
}

/** The agent of a run that has begun, or that an entry asks for. */
function agentOf(draft: ThreadDraft, runId: string): string {
  const begun = draft.run(runId)?.record;
  if (begun !== undefined) return activeAgentOf(begun);
  return draft.entries.find(({ entry }) => entry.kind === "run" && entry.run_id === runId)?.entry.agent_id ?? "";
}

/** Asks for the end of a run, once: a second request while the first one waits changes nothing. */
export function addCancel(draft: ThreadDraft, runId: string, reason: string, now: number): void {
  if (pendingWakes(draft, runId).some(({ entry }) => entry.kind === "cancel")) return;
  addWake(draft, "cancel", { runId, reason, now });
}

/** Ends an entry that is still pending. */
export function closeEntry(
  draft: ThreadDraft,
  entryId: string,
  status: Exclude<EntryStatus, "queued" | "claimed">,
  { reason, intoRun, now }: { readonly reason?: string; readonly intoRun?: string | undefined; readonly now: number },
): void {
  const row = draft.entry(entryId);
  if (row === undefined || !isPending(row.entry)) return;
  change(draft, row, {
    status,
    updated_at: now,
    ...(reason === undefined ? {} : { reason }),
    ...(intoRun === undefined ? {} : { into_run: intoRun }),
  });
  // A run that never begins has no inbox: what asked for its end would wait for ever.
  const begins = status === "accepted" && intoRun === undefined;
  if (row.entry.kind === "run" && !begins) closeWakes(draft, row.entry.run_id, now);
}

/** Closes the entries of a run that is over: its inbox is not read again. */
export function closeWakes(draft: ThreadDraft, runId: string, now: number): void {
  for (const { entry } of pendingWakes(draft, runId)) {
    closeEntry(draft, entry.entry_id, "cancelled", { reason: "the run is done", now });
  }
}

/**
 * Puts a claimed entry back into the queue. With a problem it has one attempt more, and too many make it a dead letter;
 * an interrupt that came meanwhile supersedes it.
 */
export function requeueEntry(draft: ThreadDraft, row: EntryRow, problem: Problem | undefined, now: number): void {
  const attempts = row.entry.attempts + (problem === undefined ? 0 : 1);
  const status = statusAfter(draft, row.entry, attempts, problem);
  change(draft, row, {
    status,
    attempts,
    updated_at: now,
    ...(problem === undefined ? {} : { last_error: problem.error, available_at: problem.retry_at }),
  });
  if (status !== "queued" && row.entry.kind === "run") closeWakes(draft, row.entry.run_id, now);
}

/** Queues a dead letter again, as if it had never been tried. It belongs to the thread's present generation. */
export function reviveEntry(draft: ThreadDraft, row: EntryRow, now: number): EntryRow {
  const { generation } = draft;
  return change(draft, row, { status: "queued", attempts: 0, generation, available_at: now, updated_at: now });
}

/** Hands a queued entry to a claimer. */
export function holdEntry(draft: ThreadDraft, row: EntryRow, now: number): EntryRow {
  return change(draft, row, { status: "claimed", updated_at: now });
}

export function isPending({ status }: Pick<MailboxEntry, "status">): boolean {
  return status === "queued" || status === "claimed";
}

function change(draft: ThreadDraft, row: EntryRow, changes: Partial<EntryRow["entry"]>): EntryRow {
  const changed = { ...row, entry: { ...row.entry, ...changes } };
  draft.putEntry(changed);
  return changed;
}

/** What is in the mailbox for a run that is there already. */
export function pendingWakes(draft: ThreadDraft, runId: string): readonly EntryRow[] {
  return draft.entries.filter(({ entry }) => entry.kind !== "run" && entry.run_id === runId && isPending(entry));
}

function statusAfter(
  draft: ThreadDraft,
  entry: EntryRow["entry"],
  attempts: number,
  problem: Problem | undefined,
): EntryStatus {
  if (entry.kind === "run" && entry.generation < draft.generation) return "superseded";
  if (entry.kind === "run" && problem?.is_final === true) return "dead_letter";
  // A wake-up is never given up: without it the run would wait for ever.
  return entry.kind === "run" && attempts >= MAX_ATTEMPTS ? "dead_letter" : "queued";
}
