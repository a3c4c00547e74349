import {
  type AgentEvent,
  type Changeset,
  type Claim,
  describeThrown,
  invalidRequest,
  type MailboxEntry,
  type NewEntry,
  RepriseError,
  type RunRecord,
  type Submitted,
} from "@reprise/contracts";
import { applyPatches, getAt } from "@reprise/state";
import { returnAllotment, returnBelow } from "../budget/return-allotments.ts";
import { composeStart, type StartOptions } from "../loop/compose-start.ts";
import { answerForStopped, stopChildren } from "../loop/run-family.ts";
import { leaveRemote } from "../loop/run-remote.ts";
import type { Services } from "../loop/services.ts";
import { listOpenCalls } from "../thread/calls.ts";
import { findRestore } from "../thread/find-restore.ts";
import { type LoadedThread, loadState } from "../thread/loaded-thread.ts";
import { walkChangesets } from "../thread/read-changesets.ts";
import { RUN_PATH } from "../thread/run-state.ts";

/** A run that is committed as running, and its thread with that commit. */
export interface StartedRun {
  readonly run: RunRecord;
  readonly thread: LoadedThread;
  /** Settles when the backend of a run that this one superseded was told. */
  readonly left: Promise<unknown>;
}

/** How often a start is composed again because another process wrote to the thread. */
const ATTEMPTS = 5;

/** A submission; with the run when it began with it. A lease counts from when it was asked for. */
export interface StartedSubmission {
  readonly submitted: Submitted;
  readonly started?: StartedRun;
  readonly askedAt: number;
}

/** Submits an entry together with the first changeset of its run. The store takes only the entry when the thread is busy. */
export async function submitAndStart(services: Services, tenant: string, entry: NewEntry): Promise<StartedSubmission> {
  const { env, owner, limits, threads, time } = services;
  const store = services.store.forTenant(tenant);
  const { request, run_id, entry_id, thread_id } = entry;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const thread = await threads.load(store, tenant, thread_id);
    const changeset = composeStart({ request, run_id, entry_id, thread, now: time.now() });
    const askedAt = env.clock.mono();
    try {
      const claiming = { owner, lease_ms: limits.leaseMs, changeset, expected: thread.version };
      const submitted = await store.submit(entry, claiming);
      if (submitted.status !== "claimed") return { submitted, askedAt };
      const { claim, version } = submitted;
      time.hear(claim, limits.leaseMs);
      return { submitted, started: takeIn(services, thread, changeset, version, claim), askedAt };
    } catch (error) {
      // Another process wrote to the thread between the read and the write: read again.
      if (!RepriseError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
  return { submitted: await store.submit(entry), askedAt: env.clock.mono() };
}

/** Turns a claimed entry into a run that is committed as running. */
export async function startEntry(services: Services, claim: Claim): Promise<StartedRun> {
  const { entry, tenant } = claim;
  if (entry?.request === undefined) throw new RepriseError("INTERNAL", "A claim to start has no entry with a request.");
  const { for_run_id } = entry.request;
  // A run takes its messages in while it works. What is left is nobody's: a message is no task.
  if (for_run_id !== undefined) throw invalidRequest(`Run ${for_run_id}, which the message is for, is over.`);
  const store = services.store.forTenant(tenant);
  const thread = await services.threads.load(store, tenant, claim.thread_id);
  const closing =
    claim.run === undefined ? undefined : { run: claim.run, calls: await listOpenCalls(store, claim.run.run_id) };
  const restore = await restorePoint(services, claim, entry, thread);
  const changeset = composeStart({
    request: entry.request,
    run_id: entry.run_id,
    entry_id: entry.entry_id,
    thread,
    now: services.time.now(),
    ...(closing !== undefined && { closing }),
    ...(restore !== undefined && { restore }),
  });
  const { version } = await store.commit(changeset, { expected: thread.version, epoch: claim.epoch });
  return takeIn(services, thread, changeset, version, claim);
}

/** Brings the thread in memory up to the first changeset of a run, and shows its events. */
function takeIn(
  services: Services,
  thread: LoadedThread,
  changeset: Changeset,
  version: number,
  { tenant, epoch }: Claim,
): StartedRun {
  const document = applyPatches(thread.document, changeset.patches);
  thread.advance(version, document, changeset);
  const run = changeset.runs.find(({ run_id }) => run_id === changeset.run_id);
  if (run === undefined) throw new RepriseError("INTERNAL", "A start has no run.");
  const events = changeset.events.map((event) => ({ epoch, event }));
  const isOwn = ({ event }: { readonly event: AgentEvent }): boolean => event.run_id === run.run_id;
  // The end of a run that this one supersedes goes to that run's readers.
  for (const live of events.filter((event) => !isOwn(event))) services.bus.publish(tenant, live);
  services.bus.start(tenant, run.run_id, events.filter(isOwn));
  return { run, thread, left: leaveSuperseded(services, tenant, run, changeset) };
}

/** Tells the backends, and the runs above and below, of runs that the first changeset of a run ended. */
function leaveSuperseded(
  services: Services,
  tenant: string,
  { run_id }: RunRecord,
  { runs }: Pick<Changeset, "runs">,
): Promise<unknown> {
  const leave = async (closed: RunRecord): Promise<void> => {
    await leaveRemote(services, tenant, closed);
    const store = services.store.forTenant(tenant);
    const now = services.time.now();
    if (closed.has_children === true) {
      await stopChildren(store, closed, { isCancelled: false, now });
      await returnBelow(services, tenant, closed);
    }
    await returnAllotment(services, tenant, closed);
    await answerForStopped(store, closed, now);
  };
  return Promise.all(runs.filter((closed) => closed.run_id !== run_id).map(leave));
}

/** The same for a run whose first owner may have died before it could. */
export async function leaveAgain(services: Services, tenant: string, run: RunRecord): Promise<void> {
  try {
    const changesets = walkChangesets(services.store.forTenant(tenant), run.thread_id, run.base_version, 8);
    for await (const changeset of changesets) {
      if (changeset.changeset_id !== `${run.run_id}-start`) continue;
      await leaveSuperseded(services, tenant, run, changeset);
      return;
    }
  } catch (error) {
    // Its beginning was pruned, or cannot be read: no reason to keep the run from going on.
    services.env.log("warn", "the beginning of a run cannot be read", {
      run_id: run.run_id,
      problem: describeThrown(error),
    });
  }
}

/** What the thread goes back to first: a point that was asked for, or where the run began that was open. */
async function restorePoint(
  { store }: Services,
  { tenant, thread_id }: Claim,
  { request, rolls_back: runId }: MailboxEntry,
  { document }: LoadedThread,
): Promise<StartOptions["restore"]> {
  const own = store.forTenant(tenant);
  if (request?.restore !== undefined) return findRestore(own, thread_id, request.restore);
  const run = runId === undefined ? undefined : await own.loadRun(runId);
  // Where another run came in between, going back would undo that one too.
  const isLast = getAt(document, [RUN_PATH, "id"]) === runId;
  if (run === undefined || !isLast) return undefined;
  const { run_id, base_version } = run;
  return { run_id, base_version, state: await loadState(own, thread_id, base_version) };
}
