import {
  type Decision,
  MAX_LIMIT,
  type MailboxEntry,
  notFound,
  RepriseError,
  type RunRecord,
  type TenantStore,
} from "@reprise/contracts";
import type { ResolvedAgent } from "../resolve/resolved-agent.ts";
import { findRestore } from "../thread/find-restore.ts";
import { loadState } from "../thread/loaded-thread.ts";
import { describeDefinition } from "./describe-definition.ts";
import { foldRows } from "./fold-rows.ts";
import { messagesBefore } from "./messages-before.ts";
import { type CommittedChangeset, readChangesetsBetween, walkChangesets } from "./read-changesets.ts";
import { RECORDING_FORMAT, type RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";

/** A run that is over; `RUN_NOT_FOUND`, `RUN_NOT_DONE`. */
export async function requireDone(store: TenantStore, runId: string): Promise<RunRecord> {
  const run = await store.loadRun(runId);
  if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
  if (run.status === "done") return run;
  throw new RepriseError("RUN_NOT_DONE", `Run ${runId} is ${run.status}, not done.`, { details: { run_id: runId } });
}

/** Reads everything a replay of a run needs. `VERSION_GONE` when a part of it was pruned. */
export async function loadRecording(
  store: TenantStore,
  tenant: string,
  run: RunRecord,
  agent: ResolvedAgent,
): Promise<RunRecording> {
  const { run_id, thread_id } = run;
  const changesets = await changesetsOf(store, run);
  const start = changesets[0];
  if (start === undefined) throw replayImpossible(run_id, "its first commit is missing");
  const version = start.version - 1;
  const { items } = await store.listEntries({ run_id, limit: MAX_LIMIT });
  const entry = items.find(({ kind }) => kind === "run");
  if (entry?.request === undefined) throw replayImpossible(run_id, "the request it began with is not kept");
  const closing = await closedBy(store, start);
  const restore = await restoredBy(store, entry, start);
  return {
    format: RECORDING_FORMAT,
    tenant,
    run,
    request: entry.request,
    entry_id: entry.entry_id,
    base: { version, state: await loadState(store, thread_id, version), ...(await messagesBefore(store, changesets)) },
    ...(closing !== undefined && { closing }),
    ...(restore !== undefined && { restore }),
    changesets,
    decisions: await decisionsOf(store, changesets),
    steering: await steeringOf(store, run, changesets),
    definition: describeDefinition(agent),
  };
}

/** From the first changeset of a run to the one in which it is done. */
async function changesetsOf(store: TenantStore, run: RunRecord): Promise<readonly CommittedChangeset[]> {
  const found: CommittedChangeset[] = [];
  for await (const changeset of walkChangesets(store, run.thread_id, run.base_version)) {
    // Between the version a run goes back to and its own first lie those of the run it undoes.
    if (found.length === 0 && changeset.changeset_id !== `${run.run_id}-start`) continue;
    found.push(changeset);
    if (changeset.runs.some(({ run_id, status }) => run_id === run.run_id && status === "done")) return found;
  }
  return found;
}

/** Asked only of a run that was spoken to: a mailbox may be long. */
async function steeringOf(
  store: TenantStore,
  { run_id, thread_id }: RunRecord,
  changesets: readonly CommittedChangeset[],
): Promise<readonly MailboxEntry[]> {
  const isSpokenTo = changesets.some(({ mailbox_effects }) =>
    mailbox_effects.some(({ into_run }) => into_run === run_id),
  );
  return isSpokenTo ? (await allEntries(store, thread_id)).filter(({ into_run }) => into_run === run_id) : [];
}

async function allEntries(store: TenantStore, threadId: string): Promise<readonly MailboxEntry[]> {
  const entries: MailboxEntry[] = [];
  for (;;) {
    const page = await store.listEntries({ thread_id: threadId, offset: entries.length, limit: MAX_LIMIT });
    entries.push(...page.items);
    if (!page.has_more || page.items.length === 0) return entries;
  }
}

/** The run that a first changeset ends beside its own beginning, as it was before. */
async function closedBy(store: TenantStore, start: CommittedChangeset): Promise<RunRecording["closing"]> {
  const closed = start.runs.find(({ run_id }) => run_id !== start.run_id);
  if (closed === undefined) return undefined;
  const before = await readChangesetsBetween(store, start.thread_id, closed.base_version, start.version - 1);
  const { run, calls } = foldRows(before, closed.run_id);
  return run === undefined ? undefined : { run, calls };
}

async function restoredBy(
  store: TenantStore,
  { request, rolls_back }: MailboxEntry,
  start: CommittedChangeset,
): Promise<RunRecording["restore"]> {
  if (request?.restore !== undefined) {
    return findRestore(store, start.thread_id, request.restore, start.version - 1);
  }
  if (rolls_back === undefined || !start.reasons.includes("rollback")) return undefined;
  const base_version = start.runs.find(({ run_id }) => run_id === start.run_id)?.base_version ?? 0;
  return { run_id: rolls_back, base_version, state: await loadState(store, start.thread_id, base_version) };
}

async function decisionsOf(
  store: TenantStore,
  changesets: readonly CommittedChangeset[],
): Promise<readonly Decision[]> {
  const keys = changesets.flatMap(({ consumed_decisions }) => consumed_decisions);
  const found = await Promise.all(
    keys.map(({ run_id, call_id, suspension }) => store.loadDecision(run_id, call_id, suspension)),
  );
  return found.filter((decision) => decision !== undefined);
}
