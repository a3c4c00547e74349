import type { RunRecord, TenantStore } from "@reprise/contracts";
import { decisionFor } from "../loop/decision-for.ts";
import { listAllCalls } from "../thread/list-all-calls.ts";

/** Whether somebody works on a run, or will as soon as they see what came for it. */
export async function isUnderWay(store: TenantStore, run: RunRecord): Promise<boolean> {
  if (run.status !== "waiting") return run.status === "running";
  const { decisions, cancel } = await store.readInbox(run.thread_id, run.run_id);
  if (cancel !== undefined || decisions.length === 0) return cancel !== undefined;
  const calls = await listAllCalls(store, { run_id: run.run_id, status: "suspended" });
  return calls.some((call) => decisionFor(call, decisions) !== undefined);
}
