import {
  type Decision,
  isTerminal,
  type RunRecord,
  type TenantStore,
  type Termination,
  TOOL_CALL_TRANSITIONS,
  terminationCode,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { RunEditor } from "../run/ports.ts";
import { childrenOf, requestStop } from "../run/run-tree.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { lastAnswer } from "./structured-output.ts";

/** The run is at work again, or over: it no longer waits for runs below it. */
export function endRunWait(workspace: RunEditor): void {
  const { awaits_runs, ...run } = workspace.run;
  if (awaits_runs !== undefined) workspace.replaceRun(run);
}

/**
 * Answers the call that waits for this run. Stored before the run ends, so that no crash loses it; an owner that takes over gives the same
 * answer, which counts once. A call that has not been suspended yet finds the answer when it is.
 */
export async function answerCall(workspace: RunWorkspace, termination: Termination): Promise<void> {
  const { run, store } = workspace;
  const { parent_run_id, parent_call_id } = run;
  if (parent_run_id === undefined || parent_call_id === undefined) return;
  const call = await store.loadCall(parent_run_id, parent_call_id);
  if (call === undefined || isTerminal(TOOL_CALL_TRANSITIONS, call.status)) return;
  const isSuspended = call.status === "suspended";
  if (isSuspended && call.ticket?.run_id !== run.run_id) return;
  const decision: Decision = {
    decision_id: `end-of-${run.run_id}`,
    run_id: parent_run_id,
    call_id: parent_call_id,
    suspension: isSuspended ? call.suspension : call.suspension + 1,
    action: "resume",
    result: describeEnd(workspace, termination),
    updated_at: workspace.now,
  };
  await store.decide(decision, { early: true });
}

function describeEnd(workspace: RunWorkspace, termination: Termination): Json {
  const { run_id, agent_id } = workspace.run;
  const output = lastAnswer(workspace.modelMessages(), run_id);
  const known = { run_id, agent_id, ...(output !== undefined && { output }) };
  if (termination.type === "error") return { ...known, status: "failed", error: termination.value };
  if (termination.type === "cancelled") return { ...known, status: "stopped" };
  if (termination.type !== "stopped") return { ...known, status: "completed" };
  return { ...known, status: "completed", stopped_by: terminationCode(termination) };
}

/**
 * Stops the runs below a run that is over: all of them when the run was cancelled, otherwise those that its calls waited for. Runs in the
 * background continue, and report to the thread.
 */
export async function stopChildren(store: TenantStore, run: RunRecord, isCancelled: boolean): Promise<void> {
  for (const childId of await childrenOf(store, run)) {
    if (!isCancelled && !(await isAwaited(store, childId))) continue;
    await requestStop(store, childId, `Run ${run.run_id}, which started it, is over.`);
  }
}

/** Whether a run was cancelled, or is about to be. */
export async function isCancelled(store: TenantStore, run: RunRecord): Promise<boolean> {
  const { run_id, status, termination_code } = run;
  // A run can be done before it is asked to end.
  if (status === "done") return termination_code === "cancelled";
  const { items } = await store.listEntries({ run_id });
  return items.some(({ kind }) => kind === "cancel");
}

async function isAwaited(store: TenantStore, runId: string): Promise<boolean> {
  const record = await store.loadRun(runId);
  if (record !== undefined) return record.parent_call_id !== undefined;
  const { items } = await store.listEntries({ run_id: runId });
  return items.some(({ request }) => request?.parent_call_id !== undefined);
}
