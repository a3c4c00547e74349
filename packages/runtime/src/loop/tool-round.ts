import { type CheckpointReason, type ToolCallRecord, toolPending } from "@reprise/contracts";
import { admitCall, findTool } from "../tools/admit-call.ts";
import { type ClassRun, routeTool, splitByClass } from "../tools/pools/routing-class.ts";
import { type AnsweredCall, CallExecutor, type RunnableCall } from "./call-executor.ts";
import { drainCalls } from "./drain-calls.ts";
import type { EarlyReads } from "./early-reads.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { moveCall, suspendCall } from "./settle-call.ts";

export interface RoundOptions {
  /** What the first commit of the round stands for beside the round itself. */
  readonly reasons?: readonly CheckpointReason[];
  /** Reads that were begun while the model spoke. */
  readonly early?: EarlyReads;
}

/**
 * Runs the calls of one step: runs of one class follow each other, the calls in a run overlap. What will run is committed as
 * running first, together with what came before, so that a crash leaves a trace of every effect that may have happened.
 * Returns why the run should end, when a tool says so.
 */
export async function runToolRound(
  workspace: RunWorkspace,
  calls: readonly ToolCallRecord[],
  { reasons = [], early }: RoundOptions = {},
): Promise<string | undefined> {
  // Their rows are there before anything runs, so that whoever takes over finds them all.
  for (const call of calls) workspace.setCall(call);
  const executor = new CallExecutor(workspace);
  let label = reasons;
  try {
    for (const run of classRuns(workspace, calls)) {
      const { runnable, answered, isSuspended } = await admitAll(workspace, run, early);
      if (runnable.length > 0) {
        await workspace.commit(...label, "tool_intent");
        label = ["tool_results"];
      }
      for (const item of runnable) executor.start(item);
      for (const call of answered) executor.answer(call);
      await drainCalls(workspace, executor);
      // One at a time means that what comes later waits for what waits.
      if (isSequential(workspace) && isSuspended) break;
    }
  } finally {
    executor.close();
  }
  // Nothing but suspensions: the end of the activation commits them, and nobody has seen them before.
  const isAllSuspended = calls.every(({ call_id }) => workspace.callStatus(call_id) === "suspended");
  if (!isAllSuspended && workspace.hasChanges) await workspace.commit(...new Set([...label, "tool_results" as const]));
  return executor.terminate;
}

function isSequential({ agent }: RunWorkspace): boolean {
  return agent.spec.tool_execution_mode === "sequential";
}

function classRuns(workspace: RunWorkspace, calls: readonly ToolCallRecord[]): readonly ClassRun<ToolCallRecord>[] {
  const routeOf = (call: ToolCallRecord) => {
    const found = findTool(workspace, call);
    const descriptor = found.kind === "found" ? found.tool.descriptor : undefined;
    return routeTool(descriptor, workspace.agent.spec.tool_concurrency);
  };
  if (isSequential(workspace)) return calls.map((call) => ({ route: routeOf(call), calls: [call] }));
  return splitByClass(calls, routeOf);
}

interface AdmittedRun {
  readonly runnable: readonly RunnableCall[];
  readonly answered: readonly AnsweredCall[];
  readonly isSuspended: boolean;
}

/** Takes the calls of a run through the gates; those that pass are noted as running. */
async function admitAll(
  workspace: RunWorkspace,
  { calls }: ClassRun<ToolCallRecord>,
  early: EarlyReads | undefined,
): Promise<AdmittedRun> {
  const runnable: RunnableCall[] = [];
  const answered: AnsweredCall[] = [];
  let isSuspended = false;
  for (const call of calls) {
    const begun = early?.take(call.call_id);
    const admission = begun?.admission ?? (await admitCall(workspace, call, { approved: false }));
    if (admission.kind === "run") {
      const execution = begun === undefined ? {} : { early: begun.execution };
      runnable.push({ call: moveCall(workspace, call, "start"), admission, ...execution });
    } else if (admission.kind === "suspend") {
      isSuspended = true;
      suspendCall(workspace, call, admission.ticket, toolPending(call.tool_id, admission.ticket));
    } else {
      answered.push({ call, admission });
    }
  }
  return { runnable, answered, isSuspended };
}
