import {
  awaitRun,
  type ChildEnd,
  type Decision,
  type ProgramChild,
  type ProgramNews,
  RepriseError,
  type StartedChild,
  type ToolCallRecord,
  toolFailure,
  toolSuccess,
} from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { PROGRAM_CALL } from "../budget/budget-call.ts";
import type { StartedRun } from "../run/ports.ts";
import { inheritedStates } from "../thread/run-state.ts";
import { reportBy } from "../tools/perform-call.ts";
import { keyOf, openProgramCall, suspendProgramCall, textAt } from "./program-call.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { endCall, moveCall } from "./settle-call.ts";

/** Starts runs below this one. That they are to start is committed first, so that a crash in between finds them again. */
export async function startChildren(
  workspace: RunWorkspace,
  runs: readonly ProgramChild[],
): Promise<readonly StartedChild[]> {
  const calls = runs.map(({ key, agentId, prompt }) =>
    moveCall(workspace, openProgramCall(workspace, { key, agent_id: agentId, prompt }), "start"),
  );
  workspace.setRun({ has_children: true });
  await workspace.commit("tool_intent");
  const started: StartedChild[] = [];
  for (const call of calls) started.push(await startChild(workspace, call));
  return started;
}

/** Starts the runs again whose calls an earlier owner left at work: those it had started are found. Returns those that failed. */
export async function recoverChildren(workspace: RunWorkspace): Promise<readonly ProgramNews[]> {
  const failed: ProgramNews[] = [];
  for (const call of workspace.openCalls) {
    if (call.status !== "running") continue;
    const started = await startChild(workspace, call);
    if (!("error" in started)) continue;
    const end: ChildEnd = { status: "failed", error: started.error };
    failed.push({ type: "child", key: started.key, callId: call.call_id, end });
  }
  return failed;
}

/** Ends the call of a run below with the end of that run. */
export function takeChildEnd(workspace: RunWorkspace, call: ToolCallRecord, { result = null }: Decision): ProgramNews {
  const end = childEndOf(result);
  const moved = moveCall(workspace, call, "decide");
  if (end.status === "completed") endCall(workspace, moved, toolSuccess(PROGRAM_CALL, result), "succeed");
  else {
    const message = end.error ?? "The run was stopped.";
    endCall(workspace, moved, toolFailure(PROGRAM_CALL, "execution_failed", message), "fail");
  }
  return { type: "child", key: keyOf(call), callId: call.call_id, end };
}

async function startChild(workspace: RunWorkspace, call: ToolCallRecord): Promise<StartedChild> {
  workspace.assertHeld();
  const key = keyOf(call);
  const encode = (answer: StartedRun | { readonly error: string }): Json => ({ ...answer });
  const started = await workspace.effects.perform({ kind: "delegate", of: call.call_id, encode }, () =>
    delegate(workspace, call),
  );
  if ("error" in started) {
    endCall(workspace, call, toolFailure(PROGRAM_CALL, "execution_failed", started.error), "fail");
    workspace.emitOnCommit("step_end", {}, call.step_id);
    return { key, error: started.error };
  }
  const { runId, agentId, threadId } = started;
  reportBy(workspace, call, started);
  suspendProgramCall(workspace, call, awaitRun({ runId, agentId }).request);
  return { key, callId: call.call_id, runId, threadId };
}

async function delegate(
  workspace: RunWorkspace,
  call: ToolCallRecord,
): Promise<StartedRun | { readonly error: string }> {
  const { services, claim, run, signal } = workspace;
  let told: StartedRun | undefined;
  const inherited = async () => inheritedStates(workspace.document);
  const below = services.delegation.runsOf({ tenant: claim.tenant, run, call, signal, inherited }, (child) => {
    told = child;
  });
  const request = { agentId: textAt(call.arguments, "agent_id"), prompt: textAt(call.arguments, "prompt") };
  try {
    const child = await below.start(request);
    return told ?? { ...child, depth: (run.depth ?? 0) + 1, background: false };
  } catch (error) {
    signal.throwIfAborted();
    // What the tree does not allow fails the node. Anything else is a matter of the run.
    if (!RepriseError.is(error, "DELEGATION_LIMIT") && !RepriseError.is(error, "AGENT_NOT_FOUND")) throw error;
    return { error: error.message };
  }
}

function childEndOf(result: Json): ChildEnd {
  const [status, output, error] = ["status", "output", "error"].map((name) => getAt(result, [name]));
  return {
    status: status === "completed" || status === "stopped" ? status : "failed",
    ...(typeof output === "string" && { output }),
    ...(typeof error === "string" && { error }),
  };
}
