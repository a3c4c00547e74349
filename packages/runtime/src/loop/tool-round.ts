import { type Decision, type ToolCallRecord, toolPending } from "@reprise/contracts";
import { type Admission, admitCall } from "../tools/admit-call.ts";
import { executeCall } from "../tools/execute-call.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { endCall, moveCall, settleExecution, suspendCall } from "./settle-call.ts";

/** A call that passed its gates and is committed as running. */
export interface RunnableCall {
  readonly call: ToolCallRecord;
  readonly admission: Extract<Admission, { kind: "run" }>;
  readonly decision?: Decision;
}

/**
 * Runs the calls of one step. What will run is committed as running first, together with the assistant's message, so that a
 * crash leaves a trace of every effect that may have happened. Returns why the run should end, when a tool says so.
 */
export async function runToolRound(
  workspace: RunWorkspace,
  requested: readonly ToolCallRecord[],
): Promise<string | undefined> {
  const admitted: [ToolCallRecord, Admission][] = [];
  for (const call of requested) admitted.push([call, await admitCall(workspace, call, { approved: false })]);
  const runnable: RunnableCall[] = [];
  for (const [call, admission] of admitted) {
    if (admission.kind === "run") runnable.push({ call: moveCall(workspace, call, "start"), admission });
    else if (admission.kind === "suspend") {
      suspendCall(workspace, call, admission.ticket, toolPending(call.tool_id, admission.ticket));
    } else {
      // Refused, and answered in its turn; its row is there before, so that whoever takes over finds it.
      workspace.setCall(call);
    }
  }
  if (runnable.length > 0) await workspace.commit("assistant_turn", "tool_intent");
  const executions = new Map<string, RunnableCall>(runnable.map((item) => [item.call.call_id, item]));

  let terminate: string | undefined;
  for (const [call, admission] of admitted) {
    const item = executions.get(call.call_id);
    if (item !== undefined) terminate = (await executeRunnable(workspace, item)) ?? terminate;
    else if (admission.kind === "fail") endCall(workspace, call, admission.result, "fail");
  }
  // Nothing but suspensions: the end of the activation commits them, and nobody has seen them before.
  const isAllSuspended = admitted.every(([, admission]) => admission.kind === "suspend");
  if (!isAllSuspended)
    await workspace.commit(...(runnable.length > 0 ? [] : ["assistant_turn" as const]), "tool_results");
  return terminate;
}

/** Executes a call that is committed as running; its effects join the next commit. */
export async function executeRunnable(workspace: RunWorkspace, item: RunnableCall): Promise<string | undefined> {
  const { call, admission, decision } = item;
  const point = workspace.services.env.point("tool:before");
  if (point !== undefined) await point;
  workspace.assertHeld();
  const executed = await executeCall(workspace, admission.tool, call, admission.input, decision);
  workspace.signal.throwIfAborted();
  settleExecution(workspace, call, executed);
  return executed.terminate;
}
