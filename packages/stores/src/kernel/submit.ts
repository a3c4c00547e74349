import { invalidRequest, RepriseError } from "@reprise/contracts";
import { applyChangeset } from "./apply-changeset.ts";
import { blobRefsInTexts } from "./blob-refs.ts";
import { assertChangeset, assertUndamaged, assertVersion } from "./check-changeset.ts";
import { describeClaim, holdThread, isClaimLive } from "./claims.ts";
import { concludeCommit, demandChangeset } from "./commit.ts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { addEntry, closeEntry, isPending } from "./entries.ts";
import { beginGeneration } from "./interrupt.ts";
import { draftThread } from "./new-thread.ts";
import { concludeDraft, onlyAnswer, type Plan } from "./plan.ts";
import type { SealedClaiming, SealedEntry, SubmitAnswer, ThreadRequest } from "./request.ts";
import type { EntryRow } from "./rows.ts";
import { ThreadDraft } from "./thread-draft.ts";

type Submission = ThreadRequest<"submit">;

export function demandSubmit({ tenant, entry, claiming }: Submission): ThreadDemand {
  const changeset = claiming === undefined ? {} : demandChangeset(claiming.changeset);
  return {
    tenant,
    thread: { thread_id: entry.thread_id },
    ...changeset,
    run_ids: [...new Set([entry.run_id, ...(changeset.run_ids ?? [])])],
    entry_ids: [entry.entry_id, ...(changeset.entry_ids ?? [])],
    entry_run_ids: [entry.run_id, ...(changeset.entry_run_ids ?? [])],
    ...(entry.dedupe_key === undefined ? {} : { dedupe_key: entry.dedupe_key }),
    ...(interrupts(entry) ? { queued_runs: true } : {}),
  };
}

/** Puts a run into a thread's mailbox, or starts it at once when the thread is idle and the caller wants to own it. */
export function planSubmit(request: Submission, rows: ThreadRows, now: number): Plan<SubmitAnswer> {
  const { tenant, entry } = request;
  const duplicate = findDuplicate(entry, rows);
  if (duplicate !== undefined) return onlyAnswer({ status: "duplicate", entry: duplicate });

  const draft =
    rows.thread === undefined ? draftFor(tenant, entry, rows, now) : new ThreadDraft(tenant, rows.thread, rows);
  assertUndamaged(draft);
  const isIdle = isThreadIdle(draft, now);
  if (!isIdle && entry.busy_policy === "reject") {
    throw new RepriseError("THREAD_BUSY", `Cannot start a run on thread ${entry.thread_id}: it is busy.`);
  }
  const claiming = isIdle && (entry.available_at ?? now) <= now ? request.claiming : undefined;
  if (claiming !== undefined) assertClaiming(draft, entry, claiming);
  const interrupted = interrupts(entry) ? beginGeneration(draft, entry.busy_policy, now).run_id : undefined;
  const row = addEntry(draft, completeEntry(draft, entry, interrupted, now), entry.request);
  // A run that is started at once brings its messages, and with them what they refer to.
  if (claiming === undefined && row.request !== null) draft.refer(blobRefsInTexts([row.request]));
  if (claiming !== undefined) return startNow(draft, row.entry.entry_id, { ...request, claiming }, now);
  const inbox = interrupted === undefined ? [] : [{ kind: "inbox", runId: interrupted } as const];
  return concludeDraft(draft, { status: "queued", entry: row }, [{ kind: "work" }, ...inbox]);
}

function startNow(
  draft: ThreadDraft,
  entryId: string,
  { claiming, holds }: Submission & { readonly claiming: SealedClaiming },
  now: number,
): Plan<SubmitAnswer> {
  closeEntry(draft, entryId, "accepted", { now });
  const held = holdThread(draft, claiming, { kind: "start", entryId: null, now });
  const version = applyChangeset(draft, claiming.changeset, { epoch: held.epoch, now });
  const accepted = draft.entry(entryId);
  if (accepted === undefined) throw new RepriseError("INTERNAL", `The entry ${entryId} vanished while it was added.`);
  const claim = { claim: describeClaim(draft, held), ...(holds && { held: draft.held() }) };
  return concludeCommit(draft, { status: "claimed", entry: accepted, claim, version }, accepted.entry.run_id);
}

function isThreadIdle(draft: ThreadDraft, now: number): boolean {
  const hasPending = draft.queue.next_at !== null || draft.entries.some(({ entry }) => isPending(entry));
  return draft.openRunId === null && !isClaimLive(draft, now) && !hasPending;
}

function findDuplicate(entry: SealedEntry, rows: ThreadRows): EntryRow | undefined {
  const sameId = rows.entries.find((row) => row.entry.entry_id === entry.entry_id);
  if (sameId?.entry.thread_id === entry.thread_id) return sameId;
  const sameKey = rows.entries.find(
    (row) => row.entry.thread_id === entry.thread_id && row.entry.dedupe_key === entry.dedupe_key,
  );
  if (entry.dedupe_key !== undefined && sameKey !== undefined) return sameKey;
  const isRunTaken =
    rows.runs.some(({ record }) => record.run_id === entry.run_id) ||
    rows.entries.some((row) => row.entry.kind === "run" && row.entry.run_id === entry.run_id);
  if (isRunTaken) {
    const message = `There is a run with the id ${entry.run_id} already. Choose another id, or leave it out.`;
    throw new RepriseError("RUN_EXISTS", message, { details: { run_id: entry.run_id } });
  }
  if (sameId !== undefined) throw invalidRequest(`The entry id ${entry.entry_id} is taken in another thread.`);
  return undefined;
}

function assertClaiming(draft: ThreadDraft, entry: SealedEntry, { changeset, expected }: SealedClaiming): void {
  if (changeset.thread_id !== entry.thread_id || changeset.run_id !== entry.run_id) {
    throw invalidRequest(`The changeset ${changeset.changeset_id} is not of run ${entry.run_id}.`);
  }
  assertVersion(draft, expected);
  if (draft.versionOf(changeset.changeset_id) !== undefined) {
    throw invalidRequest(`Thread ${entry.thread_id} has the changeset ${changeset.changeset_id} already.`);
  }
  assertChangeset(draft, changeset, entry.entry_id);
}

function interrupts({ busy_policy }: SealedEntry): boolean {
  return busy_policy === "interrupt" || busy_policy === "rollback";
}

function completeEntry(
  draft: ThreadDraft,
  { request: _, resource_id: _resource, parent_thread_id: _parent, ...entry }: SealedEntry,
  interrupted: string | undefined,
  now: number,
): EntryRow["entry"] {
  return {
    ...entry,
    kind: "run",
    ...(entry.busy_policy === "rollback" && interrupted !== undefined ? { rolls_back: interrupted } : {}),
    generation: draft.generation,
    status: "queued",
    available_at: entry.available_at ?? now,
    attempts: 0,
    created_at: now,
    updated_at: now,
  };
}

function draftFor(tenant: string, entry: SealedEntry, rows: ThreadRows, now: number): ThreadDraft {
  const { thread_id, resource_id, parent_thread_id } = entry;
  const thread = {
    thread_id,
    ...(resource_id === undefined ? {} : { resource_id }),
    ...(parent_thread_id === undefined ? {} : { parent_thread_id }),
    metadata: {},
    created_at: now,
    updated_at: now,
  };
  return draftThread(tenant, thread, rows);
}
