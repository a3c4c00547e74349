import { type Changeset, type Claim, RepriseError, type RunRecord } from "@reprise/contracts";
import { applyPatches, getAt, type Json } from "@reprise/state";
import { composeStart } from "../loop/compose-start.ts";
import { RUN_PATH } from "../loop/run-state.ts";
import type { Services } from "../services.ts";
import { listOpenCalls } from "../thread/list-all-calls.ts";
import { type LoadedThread, loadState } from "../thread/loaded-thread.ts";

/** Turns a claimed entry into a run that is committed as running. */
export async function startEntry(services: Services, claim: Claim): Promise<RunRecord> {
  const { entry, tenant } = claim;
  if (entry?.request === undefined) throw new RepriseError("INTERNAL", "A claim to start has no entry with a request.");
  const store = services.store.forTenant(tenant);
  const thread = await services.threads.load(store, tenant, claim.thread_id);
  const closing =
    claim.run === undefined ? undefined : { run: claim.run, calls: await listOpenCalls(store, claim.run.run_id) };
  const restore =
    entry.rolls_back === undefined ? undefined : await restorePoint(services, claim, entry.rolls_back, thread.document);
  const changeset = composeStart({
    request: entry.request,
    run_id: entry.run_id,
    entry_id: entry.entry_id,
    thread,
    now: services.env.clock.now(),
    ...(closing !== undefined && { closing }),
    ...(restore !== undefined && { restore }),
  });
  const { version } = await store.commit(changeset, { expected: thread.version, epoch: claim.epoch });
  return takeIn(services, thread, changeset, version, claim);
}

/** Brings the thread in memory up to the first changeset of a run, and shows its events. */
export function takeIn(
  services: Services,
  thread: LoadedThread,
  changeset: Changeset,
  version: number,
  { tenant, epoch }: Claim,
): RunRecord {
  const document = applyPatches(thread.document, changeset.patches);
  thread.advance(version, document, changeset);
  for (const event of changeset.events) services.bus.publish(tenant, { epoch, event });
  const run = changeset.runs.find(({ run_id }) => run_id === changeset.run_id);
  if (run === undefined) throw new RepriseError("INTERNAL", "A start has no run.");
  return run;
}

async function restorePoint({ store }: Services, claim: Claim, runId: string, document: Json) {
  const tenant = store.forTenant(claim.tenant);
  const run = await tenant.loadRun(runId);
  // Where another run came in between, going back would undo that one too.
  const isLast = getAt(document, [RUN_PATH, "id"]) === runId;
  if (run === undefined || !isLast) return undefined;
  const { base_version } = run;
  return { run_id: runId, base_version, state: await loadState(tenant, claim.thread_id, base_version) };
}
