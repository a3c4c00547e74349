import { type Decision, type ToolCallRecord, toolFailure, toolPending } from "@reprise/contracts";
import { admitCall } from "../tools/admit-call.ts";
import { askAbout } from "../tools/ask-about.ts";
import { executeAll } from "./apply-decisions.ts";
import type { RunnableCall } from "./call-executor.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { endCall, suspendCall } from "./settle-call.ts";

/**
 * Picks up the calls an owner left at work. One that may be run again is; one whose effect may have happened waits for a
 * human, who alone can find out. Calls that were never begun are left to the loop. Returns why the run should end, when a
 * tool says so.
 */
export async function recoverCalls(workspace: RunWorkspace): Promise<string | undefined> {
  const interrupted = workspace.openCalls.filter(({ status }) => status === "running" || status === "resuming");
  if (interrupted.length === 0) return undefined;
  const runnable: RunnableCall[] = [];
  for (const call of interrupted) {
    const again = await recoverCall(workspace, call);
    if (again !== undefined) runnable.push(again);
  }
  return executeAll(workspace, runnable);
}

/** Says what becomes of a call; returns it when it is to be executed again. */
async function recoverCall(workspace: RunWorkspace, call: ToolCallRecord): Promise<RunnableCall | undefined> {
  const tool = workspace.agent.tools.get(call.tool_id);
  if (tool === undefined || workspace.versionOf(call.tool_id) !== call.tool_version) {
    const message = `Tool ${call.tool_id} changed while its call was under way; whether it took effect is not known.`;
    endCall(workspace, call, toolFailure(call.tool_id, "incompatible_definition", message), "fail");
    return undefined;
  }
  if (tool.descriptor.class !== "read_only" && !tool.descriptor.idempotent) {
    const ticket = askAbout(call, "unknown_outcome", unknownOutcome(call.tool_id));
    suspendCall(workspace, call, ticket, toolPending(call.tool_id, ticket));
    return undefined;
  }
  const decision = await decisionOf(workspace, call);
  const admission = await admitCall(workspace, call, { approved: true, decision });
  if (admission.kind === "run") return { call, admission, decision };
  if (admission.kind === "end") endCall(workspace, call, admission.result, admission.trigger);
  else suspendCall(workspace, call, admission.ticket, toolPending(call.tool_id, admission.ticket));
  return undefined;
}

/** The decision that let the call run the first time, if one did: it sees the same again. */
async function decisionOf({ store, effects }: RunWorkspace, call: ToolCallRecord): Promise<Decision | undefined> {
  if (call.suspension === 0) return undefined;
  return effects.perform({ kind: "decision", of: call.call_id }, () =>
    store.loadDecision(call.run_id, call.call_id, call.suspension),
  );
}

function unknownOutcome(tool: string): string {
  return `The process died while ${tool} was running. Supply its result if it took effect, approve to run it again with the same key, or deny to count it as failed.`;
}
