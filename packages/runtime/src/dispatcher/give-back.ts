import { type Claim, claimedRun, type ErrorCode, type RepriseError, toRepriseError } from "@reprise/contracts";
import { returnUnaccepted } from "../budget/return-allotments.ts";
import { reportUnstarted } from "../loop/run-family.ts";
import type { Services } from "../loop/services.ts";

const RETRY_PAUSE_MS = 250;
const LONGEST_RETRY_PAUSE_MS = 30_000;
const SUSPECT_PAUSE_MS = 500;

/** Why a run stops although nothing of it can be written. */
const STOPPING: readonly ErrorCode[] = ["STORE_REPLACED", "STORAGE_FULL", "CORRUPT_DATA", "FORMAT_TOO_NEW"];

/** An entry that could not be started or continued is retried later, here or elsewhere. */
export async function giveBack(services: Services, claim: Claim, thrown: unknown): Promise<void> {
  const { env, store, threads } = services;
  const error = toRepriseError(thrown);
  const problem = error.message;
  tellWaiters(services, claim, error);
  env.log("error", "work was given back", { thread_id: claim.thread_id, kind: claim.kind, problem });
  threads.forget(claim.tenant, claim.thread_id);
  try {
    await store.operator.release(claim, {
      error: problem,
      retry_after_ms: retryPause(services, claim, error),
      // What was asked for cannot be done, however often it is tried.
      is_final: error.code === "INVALID_REQUEST",
    });
    const { kind, entry, tenant } = claim;
    // A run that cannot be started has no last step in which it would report.
    if (kind === "start" && entry?.request?.root_run_id !== undefined) {
      await returnUnaccepted(services, tenant, { ...entry.request, run_id: entry.run_id });
      await reportUnstarted(store.forTenant(tenant), entry.run_id, services.time.now());
    }
  } catch (failure) {
    env.log("error", "a claim could not be given back", { problem: toRepriseError(failure).message });
  }
}

/** A run that may kill its process does so alone among those that may: the others are tried after it. */
export async function putOff({ store }: Services, claim: Claim): Promise<void> {
  const error = "it waits while another run that lost its owners is tried";
  await store.operator.release(claim, { error, retry_after_ms: SUSPECT_PAUSE_MS });
}

/** Longer from attempt to attempt: an outage of minutes must not make a dead letter of what was accepted. */
function retryPause({ limits }: Services, { entry }: Claim, { code }: RepriseError): number {
  if (code === "STORAGE_FULL") return limits.storageFullPauseMs;
  return Math.min(RETRY_PAUSE_MS * 2 ** (entry?.attempts ?? 0), LONGEST_RETRY_PAUSE_MS);
}

/** Who waits for the run here learns what only we can know: nothing could be written about it. */
function tellWaiters({ stopped, signals }: Services, claim: Claim, error: RepriseError): void {
  const runId = claimedRun(claim);
  if (runId === undefined || !STOPPING.includes(error.code)) return;
  stopped.stop(claim.tenant, runId, error);
  signals.nudge(claim.tenant, claim.thread_id);
}
