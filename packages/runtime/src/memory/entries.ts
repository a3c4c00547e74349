import {
  type EntryStatus,
  illegalTransition,
  MAX_ATTEMPTS,
  type MailboxEntry,
  notFound,
  type ReleaseProblem,
} from "@reprise/contracts";
import type { MailboxSlot } from "./mailbox.ts";
import type { ThreadCell } from "./thread-cell.ts";

/** Puts an entry into its thread's mailbox and the tenant's indexes. */
export function addEntry(cell: ThreadCell, entry: MailboxEntry): MailboxSlot {
  const slot = cell.mailbox.add(entry);
  cell.world.entries.set(entry.entry_id, slot);
  if (entry.kind === "run") cell.world.entriesByRun.set(entry.run_id, slot);
  return slot;
}

/** Puts a `resume` or `cancel` entry for a run into the mailbox. */
export function addWake(
  cell: ThreadCell,
  kind: "resume" | "cancel",
  {
    runId,
    reason,
    at,
    now,
  }: { readonly runId: string; readonly reason?: string; readonly at?: number; readonly now: number },
): MailboxSlot {
  return addEntry(cell, {
    entry_id: `${runId}_${kind}_${cell.mailbox.nextArrival}`,
    thread_id: cell.thread.thread_id,
    kind,
    run_id: runId,
    busy_policy: "enqueue",
    priority: 0,
    generation: cell.generation,
    status: "queued",
    available_at: at ?? now,
    attempts: 0,
    ...(reason === undefined ? {} : { reason }),
    created_at: now,
    updated_at: now,
  });
}

/** Asks for the end of a run, once: a second request while the first one waits changes nothing. */
export function addCancel(cell: ThreadCell, runId: string, reason: string, now: number): void {
  if (cell.mailbox.findCancel(runId) !== undefined) return;
  addWake(cell, "cancel", { runId, reason, now });
}

/** Ends an entry that is still pending. */
export function closeEntry(
  cell: ThreadCell,
  slot: MailboxSlot,
  status: Exclude<EntryStatus, "queued" | "claimed">,
  { reason, intoRun, now }: { readonly reason?: string; readonly intoRun?: string; readonly now: number },
): void {
  if (slot.entry.status !== "queued" && slot.entry.status !== "claimed") return;
  cell.mailbox.change(slot, {
    status,
    updated_at: now,
    ...(reason === undefined ? {} : { reason }),
    ...(intoRun === undefined ? {} : { into_run: intoRun }),
  });
  // A run that never begins has no inbox: what asked for its end would wait for ever.
  if (slot.entry.kind === "run" && status !== "accepted") closeWakes(cell, slot.entry.run_id, now);
}

/** Closes what waits for a run that is over: nobody will look into its inbox again. */
export function closeWakes(cell: ThreadCell, runId: string, now: number): void {
  const wakes = [...cell.mailbox.wakes, ...cell.mailbox.claimed].filter(
    ({ entry }) => entry.kind !== "run" && entry.run_id === runId,
  );
  for (const slot of wakes) closeEntry(cell, slot, "cancelled", { reason: "the run is done", now });
}

/** Gives a dead letter another chance. */
export function reviveEntry(cell: ThreadCell, entryId: string, now: number): MailboxEntry {
  const slot = cell.world.entries.get(entryId);
  if (slot?.entry.thread_id !== cell.thread.thread_id) throw notFound("ENTRY_NOT_FOUND", "mailbox entry", entryId);
  const { status } = slot.entry;
  if (status !== "dead_letter") throw illegalTransition("mailbox entry", entryId, status, "requeue");
  const { generation } = cell;
  cell.mailbox.change(slot, { status: "queued", generation, attempts: 0, available_at: now, updated_at: now });
  return slot.entry;
}

/** Forgets an entry that is over. */
export function forgetEntry(cell: ThreadCell, slot: MailboxSlot): void {
  cell.mailbox.remove(slot);
  cell.world.entries.delete(slot.entry.entry_id);
  if (slot.entry.kind === "run") cell.world.entriesByRun.delete(slot.entry.run_id);
}

/** What went wrong with a claim, and when to try again. */
export interface Problem extends ReleaseProblem {
  /** Whether the owner had the entry and did nothing with it, rather than being lost with it. */
  readonly isUnused?: boolean;
}

/**
 * Puts a claimed entry back into the queue. With a problem it has one attempt more, and too many make it a dead letter;
 * an interrupt that came meanwhile supersedes it.
 */
export function requeueEntry(cell: ThreadCell, slot: MailboxSlot, problem: Problem | undefined, now: number): void {
  if (slot.entry.status !== "claimed") return;
  const attempts = slot.entry.attempts + (problem === undefined ? 0 : 1);
  const status = statusAfter(cell, slot.entry, attempts, problem);
  cell.mailbox.change(slot, {
    status,
    attempts,
    updated_at: now,
    ...(problem === undefined ? {} : { last_error: problem.error, available_at: problem.retry_at }),
  });
  if (status !== "queued" && slot.entry.kind === "run") closeWakes(cell, slot.entry.run_id, now);
}

function statusAfter(
  cell: ThreadCell,
  entry: MailboxEntry,
  attempts: number,
  problem: Problem | undefined,
): EntryStatus {
  if (entry.kind === "run" && entry.generation < cell.generation) return "superseded";
  if (entry.kind === "run" && problem?.is_final === true) return "dead_letter";
  // A lost wake-up is never given up: without it the run would wait for ever. One nobody can use is.
  const mayEnd = entry.kind === "run" || problem?.isUnused === true;
  return mayEnd && attempts >= MAX_ATTEMPTS ? "dead_letter" : "queued";
}
