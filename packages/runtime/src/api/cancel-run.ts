import { RepriseError } from "@reprise/contracts";
import { returnAllotment, returnQueued } from "../budget/return-allotments.ts";
import { answerForStopped } from "../loop/run-family.ts";
import type { Services } from "../loop/services.ts";
import { cancelBelow } from "../run/run-tree.ts";

/**
 * Asks a run and every run below it to end. Durable when it resolves: from then on no process asks a model for a run below. Throws
 * `RUN_NOT_ACTIVE` when the run is over.
 */
export async function cancelRun(services: Services, tenant: string, runId: string, reason: string): Promise<void> {
  const store = services.store.forTenant(tenant);
  await store.requestCancel(runId, reason);
  const now = services.time.now();
  const run = await store.loadRun(runId);
  if (run !== undefined) {
    await cancelBelow(store, run, `Run ${runId}, which started it, was cancelled.`, now);
    return returnQueued(services, tenant, run);
  }
  // A run that never began is over at once, and has no last step in which it would answer the call that waits for it.
  const { items } = await store.listEntries({ run_id: runId });
  const entry = items.find(({ kind }) => kind === "run");
  if (entry?.status !== "cancelled" || entry.request === undefined) return;
  const queued = { ...entry.request, run_id: runId };
  await returnAllotment(services, tenant, queued);
  await answerForStopped(store, queued, now);
}

/** The same for a run that may be over, or never started. */
export async function stopRun(services: Services, tenant: string, runId: string, reason: string): Promise<void> {
  try {
    await cancelRun(services, tenant, runId, reason);
  } catch (error) {
    if (!RepriseError.is(error, "RUN_NOT_ACTIVE") && !RepriseError.is(error, "RUN_NOT_FOUND")) throw error;
  }
}
