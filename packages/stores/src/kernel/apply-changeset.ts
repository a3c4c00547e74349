import { isTerminal, TOOL_CALL_TRANSITIONS, UNUSED_WAKE_PAUSE_MS } from "@reprise/contracts";
import { claimedEntry, giveBackClaim } from "./claims.ts";
import { addWake, closeEntry, closeWakes, pendingWakes } from "./entries.ts";
import type { CallRow } from "./rows.ts";
import type { SealedChangeset } from "./sealed-changeset.ts";
import type { ThreadDraft } from "./thread-draft.ts";

/** How a changeset is applied. */
interface Application {
  /** Null for a writer without a claim. */
  readonly epoch: number | null;
  /** The epoch its events were shown under, when it is not the thread's. */
  readonly shownEpoch?: number | undefined;
  readonly now: number;
}

/** Appends a checked changeset to its thread. Costs what the changeset holds, however long the thread is. */
export function applyChangeset(
  draft: ThreadDraft,
  changeset: SealedChangeset,
  { epoch, shownEpoch, now }: Application,
): number {
  const version = draft.thread.version + 1;
  draft.thread = { ...draft.thread, version, updated_at: now };
  putRuns(draft, changeset, version);
  draft.appendChangeset(changeset, version, shownEpoch ?? draft.epoch);
  consumeDecisions(draft, changeset, now);
  settleEntries(draft, changeset, now);
  if (epoch !== null) settleClaim(draft, now);
  keepWakes(draft, now);
  // Nothing is promised ahead of the database but to a run that is running.
  if (draft.openRun?.record.status !== "running") draft.promisedVersion = 0;
  return version;
}

function putRuns(draft: ThreadDraft, { runs, calls, segments }: SealedChangeset, version: number): void {
  for (const record of runs) {
    const row = draft.ownRun(record.run_id) ?? { first_version: version, last_seq: 0, open_calls: [] };
    draft.putRun({ ...row, record, last_version: version });
    if (record.status !== "done") draft.openRunId = record.run_id;
    else if (draft.openRunId === record.run_id) draft.openRunId = null;
    draft.recoverAt = 0;
  }
  for (const { run_id, last_seq } of segments) {
    const row = draft.ownRun(run_id);
    if (row !== undefined) draft.putRun({ ...row, last_seq, last_version: version });
  }
  for (const call of calls) {
    const row = draft.ownRun(call.run_id);
    if (row !== undefined) draft.putRun({ ...row, open_calls: withCall(row.open_calls, call), last_version: version });
  }
}

/** The open calls of a run after one of its calls changed. A call keeps its place among them. */
export function withCall(open: readonly CallRow[], call: CallRow): readonly CallRow[] {
  if (isTerminal(TOOL_CALL_TRANSITIONS, call.status)) return open.filter(({ call_id }) => call_id !== call.call_id);
  if (!open.some(({ call_id }) => call_id === call.call_id)) return [...open, call];
  return open.map((known) => (known.call_id === call.call_id ? call : known));
}

function consumeDecisions(draft: ThreadDraft, { consumed_decisions }: SealedChangeset, now: number): void {
  for (const key of consumed_decisions) {
    const row = draft.decision(key);
    if (row === undefined) continue;
    draft.putDecision({ ...row, is_pending: false });
    if (row.wake_entry_id !== null) closeEntry(draft, row.wake_entry_id, "accepted", { now });
  }
}

function settleEntries(draft: ThreadDraft, { mailbox_effects, runs }: SealedChangeset, now: number): void {
  for (const { entry_id, status, into_run } of mailbox_effects) {
    closeEntry(draft, entry_id, status, { intoRun: into_run, now });
  }
  for (const { run_id, status } of runs) {
    const row = draft.entries.find(({ entry }) => entry.kind === "run" && entry.run_id === run_id);
    if (row !== undefined) closeEntry(draft, row.entry.entry_id, "accepted", { now });
    if (status === "done") closeWakes(draft, run_id, now);
  }
}

/** The claim ends with the activation: when its owner leaves no run running. */
function settleClaim(draft: ThreadDraft, now: number): void {
  const claimed = claimedEntry(draft)?.entry;
  // The run is awake, and looks at everything that came for it.
  if (claimed?.kind === "resume") closeEntry(draft, claimed.entry_id, "accepted", { now });
  if (draft.openRun?.record.status === "running") return;
  const unheard = { error: "the run went on waiting", retry_at: now + UNUSED_WAKE_PAUSE_MS };
  giveBackClaim(draft, claimed?.kind === "cancel" ? unheard : undefined, now);
}

/** While a run waits, there is a wake for every decision no commit has used, and for the first of its times to come. */
function keepWakes(draft: ThreadDraft, now: number): void {
  const run = draft.openRun;
  if (run?.record.status !== "waiting") return;
  const runId = run.record.run_id;
  let expiresAt = run.record.model_wait?.until ?? Number.POSITIVE_INFINITY;
  for (const call of run.open_calls) {
    if (call.status !== "suspended") continue;
    expiresAt = Math.min(expiresAt, call.expires_at ?? Number.POSITIVE_INFINITY);
    const row = draft.decision(call);
    if (row?.is_pending !== true || isQueued(draft, row.wake_entry_id)) continue;
    // One that came before its suspension wakes the run now; of one that woke it already, its owner made nothing.
    const at = row.wake_entry_id === null ? now : now + UNUSED_WAKE_PAUSE_MS;
    const wake = addWake(draft, "resume", { runId, at, now });
    draft.putDecision({ ...row, wake_entry_id: wake.entry.entry_id });
  }
  const at = expiresAt > now ? expiresAt : now + UNUSED_WAKE_PAUSE_MS;
  const isAwaited = pendingWakes(draft, runId).some(({ entry }) => entry.kind === "resume" && entry.available_at <= at);
  if (Number.isFinite(at) && !isAwaited) addWake(draft, "resume", { runId, at, now });
}

function isQueued(draft: ThreadDraft, entryId: string | null): boolean {
  return entryId !== null && draft.entry(entryId)?.entry.status === "queued";
}
