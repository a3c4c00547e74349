import {
  type CommitGuard,
  illegalTransition,
  invalidRequest,
  isTerminal,
  notFound,
  RepriseError,
  staleEpoch,
  TOOL_CALL_TRANSITIONS,
  triggerTo,
  versionConflict,
} from "@reprise/contracts";
import { isPending } from "./entries.ts";
import type { SealedChangeset } from "./sealed-changeset.ts";
import type { ThreadDraft } from "./thread-draft.ts";

/** Refuses a writer that may not write now: first by its epoch, then by the thread being busy, then by the version. */
export function assertGuard(draft: ThreadDraft, changeset: SealedChangeset, { expected, epoch }: CommitGuard): void {
  const { threadId } = draft;
  if (changeset.run_id !== null && epoch === null) {
    throw invalidRequest(`Cannot commit to thread ${threadId}: a changeset of a run needs an epoch.`);
  }
  if (epoch !== null && draft.claim?.epoch !== epoch) throw staleEpoch(threadId, epoch, draft.epoch);
  if (changeset.run_id === null && draft.openRun?.record.status === "running") {
    throw new RepriseError("THREAD_BUSY", `Cannot commit to thread ${threadId}: run ${draft.openRunId} is running.`);
  }
  assertVersion(draft, expected);
}

export function assertVersion({ thread }: ThreadDraft, expected: number | "any"): void {
  if (expected === "any" || expected === thread.version) return;
  throw versionConflict(thread.thread_id, expected, thread.version);
}

/** Refuses to write to a thread of which something cannot be read back. */
export function assertUndamaged({ thread, damage }: ThreadDraft): void {
  if (damage === null) return;
  const details = { thread_id: thread.thread_id, damage };
  throw new RepriseError("CORRUPT_DATA", `Thread ${thread.thread_id} can only be read: ${damage}`, { details });
}

/**
 * Refuses a changeset that would leave the thread inconsistent. `incoming` is the id of an entry that is stored together with
 * it.
 */
export function assertChangeset(draft: ThreadDraft, changeset: SealedChangeset, incoming?: string): void {
  assertMessages(draft, changeset);
  assertRuns(draft, changeset);
  assertCalls(draft, changeset);
  assertSegments(draft, changeset);
  assertConsumed(draft, changeset);
  assertEffects(draft, changeset, incoming);
}

function assertMessages(draft: ThreadDraft, { message_ids }: SealedChangeset): void {
  const seen = new Set<string>();
  for (const id of message_ids) {
    if (seen.has(id) || draft.hasMessage(id)) {
      throw invalidRequest(`Cannot append message ${id} to thread ${draft.threadId}: it is there already.`);
    }
    seen.add(id);
  }
}

function assertRuns(draft: ThreadDraft, { runs }: SealedChangeset): void {
  const { threadId } = draft;
  const open = new Set(draft.openRunId === null ? [] : [draft.openRunId]);
  for (const row of runs) {
    const known = draft.run(row.run_id)?.record;
    if (row.thread_id !== threadId || (known !== undefined && known.thread_id !== threadId)) {
      throw invalidRequest(`Cannot commit run ${row.run_id} to thread ${threadId}: it is of another thread.`);
    }
    if (known?.status === "done" && row.status !== "done") {
      throw illegalTransition("run", row.run_id, "done", row.status === "waiting" ? "suspend" : "resume");
    }
    if (row.status === "done") open.delete(row.run_id);
    else open.add(row.run_id);
  }
  if (open.size > 1) {
    throw new RepriseError("THREAD_BUSY", `Thread ${threadId} cannot have ${open.size} open runs: ${[...open]}.`);
  }
}

function assertCalls(draft: ThreadDraft, changeset: SealedChangeset): void {
  for (const call of changeset.calls) {
    assertRunKnown(draft, changeset, call.run_id);
    const status = draft.call(call.run_id, call.call_id)?.status;
    if (status !== undefined && status !== call.status && isTerminal(TOOL_CALL_TRANSITIONS, status)) {
      throw illegalTransition("tool call", call.call_id, status, triggerTo(call.status));
    }
  }
}

function assertSegments(draft: ThreadDraft, changeset: SealedChangeset): void {
  for (const { run_id, first_seq } of changeset.segments) {
    assertRunKnown(draft, changeset, run_id);
    const last = draft.ownRun(run_id)?.last_seq ?? 0;
    if (first_seq !== last + 1) {
      throw invalidRequest(`Cannot store event ${first_seq} of run ${run_id}: the last is ${last}.`);
    }
  }
}

function assertRunKnown(draft: ThreadDraft, { runs }: SealedChangeset, runId: string): void {
  if (draft.ownRun(runId) !== undefined || runs.some(({ run_id }) => run_id === runId)) return;
  throw notFound("RUN_NOT_FOUND", "run", runId);
}

function assertConsumed(draft: ThreadDraft, { consumed_decisions }: SealedChangeset): void {
  for (const key of consumed_decisions) {
    // A run of another thread keeps its decisions to itself.
    const isPendingHere = draft.ownRun(key.run_id) !== undefined && draft.decision(key)?.is_pending === true;
    if (isPendingHere) continue;
    throw invalidRequest(
      `Cannot consume the decision on call ${key.call_id}, suspension ${key.suspension}: there is none.`,
    );
  }
}

function assertEffects(draft: ThreadDraft, { mailbox_effects }: SealedChangeset, incoming: string | undefined): void {
  for (const { entry_id, status } of mailbox_effects) {
    if (entry_id === incoming) continue;
    const entry = draft.entry(entry_id)?.entry;
    if (entry?.thread_id !== draft.threadId) {
      throw invalidRequest(`Cannot change mailbox entry ${entry_id}: thread ${draft.threadId} does not have it.`);
    }
    if (isPending(entry) || entry.status === status) continue;
    throw illegalTransition("mailbox entry", entry_id, entry.status, status === "accepted" ? "accept" : "cancel");
  }
}
