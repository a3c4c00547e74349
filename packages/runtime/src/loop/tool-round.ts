import type { CheckpointReason, ToolCallRecord } from "@reprise/contracts";
import type { AgentView } from "../run/ports.ts";
import { admitCall, findTool } from "../tools/admit-call.ts";
import { type ClassRun, type RoutingClass, routeTool, splitByClass } from "../tools/pools/routing-class.ts";
import { type AnsweredCall, CallExecutor, type RunnableCall } from "./call-executor.ts";
import type { EarlyReads } from "./early-reads.ts";
import { drainCalls, type RoundRun } from "./execute-calls.ts";
import { moveCall, pauseCall } from "./settle-call.ts";

export interface RoundOptions {
  /** Reads that were begun while the model spoke. */
  readonly early?: EarlyReads;
}

/**
 * Runs the calls of one step: runs of one class follow each other, the calls in a run overlap. What will run is committed as
 * running first, together with what came before, so that a crash leaves a trace of every effect that may have happened.
 * Returns why the run should end, when a tool says so.
 */
export async function runToolRound(
  workspace: RoundRun,
  calls: readonly ToolCallRecord[],
  { early }: RoundOptions = {},
): Promise<string | undefined> {
  // Their rows exist before anything runs, so that a new owner finds them all.
  for (const call of calls) workspace.setCall(call);
  const executor = early?.executor ?? new CallExecutor(workspace);
  let label: readonly CheckpointReason[] = [];
  try {
    for (const run of classRuns(workspace, calls)) {
      const { runnable, begun, answered } = await admitAll(workspace, run, early);
      if (runnable.length + begun.length > 0) {
        await workspace.commit(...label, "tool_intent");
        label = ["tool_results"];
      }
      for (const call of begun) executor.confirm(call);
      for (const item of runnable) void executor.start(item);
      for (const call of answered) executor.answer(call);
      await drainCalls(workspace, executor);
      // One at a time means that what comes later waits for what waits.
      const isHeldUp = run.calls.some(({ call_id }) => workspace.callStatus(call_id) === "suspended");
      if (isSequential(workspace) && isHeldUp) break;
    }
  } finally {
    executor.close();
  }
  // Nothing but suspensions: the end of the activation commits them, and they were not shown before.
  const isAllSuspended = calls.every(({ call_id }) => workspace.callStatus(call_id) === "suspended");
  const isAboutToWait = isAllSuspended && workspace.agent.spec.partial_suspension === "wait";
  if (!isAboutToWait && workspace.hasChanges) await workspace.commit(...new Set([...label, "tool_results" as const]));
  return executor.terminate;
}

function isSequential({ toolExecutionMode }: Pick<AgentView, "toolExecutionMode">): boolean {
  return toolExecutionMode === "sequential";
}

/**
 * What runs beside each other. Calls that go one at a time are each a run of their own where plugins are asked about them:
 * a rule must see what the call before has done.
 */
function classRuns(workspace: RoundRun, calls: readonly ToolCallRecord[]): readonly ClassRun<ToolCallRecord>[] {
  const { spec, installed } = workspace.agent;
  const routeOf = (call: ToolCallRecord): RoutingClass => {
    const found = findTool(workspace, call);
    return routeTool(found.kind === "found" ? found.tool.descriptor : undefined, spec.tool_concurrency);
  };
  const isAsked = installed.hooks.before_tool_execute !== undefined;
  const isAlone = ({ route }: ClassRun<ToolCallRecord>): boolean =>
    isSequential(workspace) || (route === "serial" && isAsked);
  return splitByClass(calls, routeOf).flatMap((run) =>
    isAlone(run) ? run.calls.map((call) => ({ ...run, calls: [call] })) : [run],
  );
}

interface AdmittedRun {
  readonly runnable: readonly RunnableCall[];
  /** Those that are executed already, now noted as running. */
  readonly begun: readonly ToolCallRecord[];
  readonly answered: readonly AnsweredCall[];
}

/** Takes the calls of a run through the gates; those that pass are noted as running. */
async function admitAll(
  workspace: RoundRun,
  { calls }: ClassRun<ToolCallRecord>,
  early: EarlyReads | undefined,
): Promise<AdmittedRun> {
  const runnable: RunnableCall[] = [];
  const begun: ToolCallRecord[] = [];
  const answered: AnsweredCall[] = [];
  for (const call of calls) {
    if (early?.has(call.call_id) === true) {
      begun.push(moveCall(workspace, call, "start"));
      continue;
    }
    const admission = await admitCall(workspace, call, { approved: false });
    if (admission.kind === "run") runnable.push({ call: moveCall(workspace, call, "start"), admission });
    else if (admission.kind === "end") answered.push({ call, admission });
    else await pauseCall(workspace, call, admission.ticket);
  }
  return { runnable, begun, answered };
}
