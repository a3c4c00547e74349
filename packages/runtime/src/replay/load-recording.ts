import {
  type BlobStore,
  MAX_LIMIT,
  type MailboxEntry,
  notFound,
  RepriseError,
  type RunRecord,
  type StoredChangeset,
  type TenantStore,
} from "@reprise/contracts";
import { textRefsOf } from "../effects/long-texts.ts";
import type { Services } from "../loop/services.ts";
import { findRestore } from "../thread/find-restore.ts";
import { loadState } from "../thread/loaded-thread.ts";
import { readChangesetsBetween, walkChangesets } from "../thread/read-changesets.ts";
import { foldRows } from "./fold-rows.ts";
import { messagesBefore } from "./messages-before.ts";
import { RECORDING_FORMAT, type RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";
import { sealHistory, sealRecording } from "./seal-recording.ts";

/** A run that is over; `RUN_NOT_FOUND`, `RUN_NOT_DONE`. */
export async function requireDone(store: TenantStore, runId: string): Promise<RunRecord> {
  const run = await store.loadRun(runId);
  if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
  if (run.status === "done") return run;
  throw new RepriseError("RUN_NOT_DONE", `Run ${runId} is ${run.status}, not done.`, { details: { run_id: runId } });
}

/** Reads everything a replay of a run needs. `VERSION_GONE` when a part of it was pruned. */
export async function loadRecording(
  { store: stores, blobs, env }: Pick<Services, "store" | "blobs" | "env">,
  tenant: string,
  run: RunRecord,
): Promise<RunRecording> {
  const store = stores.forTenant(tenant);
  const { run_id, thread_id } = run;
  const { before, changesets } = await sealHistory(store, await changesetsOf(store, run), env.hash);
  const start = changesets[0];
  if (start === undefined) throw replayImpossible(run_id, "its first commit is missing");
  const version = start.version - 1;
  const { items } = await store.listEntries({ run_id, limit: MAX_LIMIT });
  const entry = items.find(({ kind }) => kind === "run");
  if (entry?.request === undefined) throw replayImpossible(run_id, "the request it began with is not kept");
  const closing = await closedBy(store, start);
  const restore = await restoredBy(store, entry, start);
  const recording = {
    format: RECORDING_FORMAT,
    tenant,
    run,
    request: entry.request,
    entry_id: entry.entry_id,
    base: {
      version,
      state: await loadState(store, thread_id, version),
      ...(await messagesBefore(store, changesets)),
      digest: before,
    },
    ...(closing !== undefined && { closing }),
    ...(restore !== undefined && { restore }),
    changesets,
    texts: await textsOf(blobs, tenant, run, changesets),
  } as const;
  return sealRecording(recording, env.hash);
}

/** The long texts of the run's effects. */
async function textsOf(
  blobs: BlobStore,
  tenant: string,
  { run_id }: RunRecord,
  changesets: readonly StoredChangeset[],
): Promise<RunRecording["texts"]> {
  const refs = new Set(changesets.flatMap(({ effects = [] }) => textRefsOf(effects)));
  const texts = await Promise.all(
    [...refs].map(async (ref) => {
      const { content } = await blobs.get(tenant, ref).catch((error: unknown) => {
        throw replayImpossible(run_id, "a text of its recording is missing", error);
      });
      return [ref, new TextDecoder().decode(content)] as const;
    }),
  );
  return Object.fromEntries(texts);
}

/** From the first changeset of a run to the one in which it is done. */
async function changesetsOf(store: TenantStore, run: RunRecord): Promise<readonly StoredChangeset[]> {
  const found: StoredChangeset[] = [];
  for await (const changeset of walkChangesets(store, run.thread_id, run.base_version)) {
    // Between the version a run goes back to and its own first lie those of the run it undoes.
    if (found.length === 0 && changeset.changeset_id !== `${run.run_id}-start`) continue;
    found.push(changeset);
    if (changeset.runs.some(({ run_id, status }) => run_id === run.run_id && status === "done")) return found;
  }
  return found;
}

/** The run that a first changeset ends beside its own beginning, as it was before. */
async function closedBy(store: TenantStore, start: StoredChangeset): Promise<RunRecording["closing"]> {
  const closed = start.runs.find(({ run_id }) => run_id !== start.run_id);
  if (closed === undefined) return undefined;
  const before = await readChangesetsBetween(store, start.thread_id, closed.base_version, start.version - 1);
  const { run, calls } = foldRows(before, closed.run_id);
  return run === undefined ? undefined : { run, calls };
}

async function restoredBy(
  store: TenantStore,
  { request, rolls_back }: MailboxEntry,
  start: StoredChangeset,
): Promise<RunRecording["restore"]> {
  if (request?.restore !== undefined) {
    return findRestore(store, start.thread_id, request.restore, start.version - 1);
  }
  if (rolls_back === undefined || !start.reasons.includes("rollback")) return undefined;
  const base_version = start.runs.find(({ run_id }) => run_id === start.run_id)?.base_version ?? 0;
  return { run_id: rolls_back, base_version, state: await loadState(store, start.thread_id, base_version) };
}
