import { type RunRecord, resumesByItself, type TenantStore } from "@reprise/contracts";
import { decisionFor, listAllCalls } from "../thread/calls.ts";

/**
 * Whether a process works on a run, or will once it sees a decision that is already stored. The row of the run is read once more at the
 * end: a process that consumed a decision between two of our reads has changed the row, and then our reads are out of date.
 */
export async function isUnderWay(store: TenantStore, run: RunRecord): Promise<boolean> {
  if (run.status !== "waiting") return run.status === "running";
  // It continues without any input.
  return resumesByItself(run) || hasInput(store, run);
}

/** Whether a decision or a cancellation that a waiting run will act on is already stored. */
export async function hasInput(store: TenantStore, run: RunRecord): Promise<boolean> {
  const { run_id, thread_id } = run;
  const { decisions, cancel } = await store.readInbox(thread_id, run_id);
  if (cancel !== undefined) return true;
  const calls = decisions.length === 0 ? [] : await listAllCalls(store, { run_id, status: "suspended" });
  if (calls.some((call) => decisionFor(call, decisions) !== undefined)) return true;
  return (await store.loadRun(run_id))?.last_seq !== run.last_seq;
}
