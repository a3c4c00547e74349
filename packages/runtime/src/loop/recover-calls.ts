import { type Decision, type ToolCallRecord, toolFailure, toolPending } from "@reprise/contracts";
import { admitCall } from "../tools/admit-call.ts";
import { askAbout } from "../tools/ask-about.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { endCall, moveCall, suspendCall } from "./settle-call.ts";
import { executeRunnable } from "./tool-round.ts";

/**
 * Picks up the calls an owner left behind. One that may be run again is; one whose effect may have happened waits for a
 * human, who alone can find out. Returns why the run should end, when a tool says so.
 */
export async function recoverCalls(workspace: RunWorkspace): Promise<string | undefined> {
  const interrupted = workspace.openCalls.filter(({ status }) => status !== "suspended");
  if (interrupted.length === 0) return undefined;
  let terminate: string | undefined;
  for (const call of interrupted) terminate = (await recoverCall(workspace, call)) ?? terminate;
  await workspace.commit("tool_results");
  return terminate;
}

async function recoverCall(workspace: RunWorkspace, call: ToolCallRecord): Promise<string | undefined> {
  if (call.status === "new") return recoverUnstarted(workspace, call);
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
  const admission = await admitCall(workspace, call, { approved: true });
  if (admission.kind === "run") {
    return executeRunnable(workspace, { call, admission, ...(await decisionOf(workspace, call)) });
  }
  if (admission.kind === "fail") endCall(workspace, call, admission.result, "fail");
  return undefined;
}

/** A call that was refused, or never begun: it goes through the gates as if it were asked for now. */
async function recoverUnstarted(workspace: RunWorkspace, call: ToolCallRecord): Promise<string | undefined> {
  const admission = await admitCall(workspace, call, { approved: false });
  if (admission.kind === "fail") endCall(workspace, call, admission.result, "fail");
  else if (admission.kind === "suspend") {
    suspendCall(workspace, call, admission.ticket, toolPending(call.tool_id, admission.ticket));
  } else {
    const started = moveCall(workspace, call, "start");
    await workspace.commit("tool_intent");
    return executeRunnable(workspace, { call: started, admission });
  }
  return undefined;
}

/** The decision that let the call run the first time, if one did: it sees the same again. */
async function decisionOf({ store }: RunWorkspace, call: ToolCallRecord): Promise<{ readonly decision?: Decision }> {
  if (call.suspension === 0) return {};
  const decision = await store.loadDecision(call.run_id, call.call_id, call.suspension);
  return decision === undefined ? {} : { decision };
}

function unknownOutcome(tool: string): string {
  return `The process died while ${tool} was running. Supply its result if it took effect, approve to run it again with the same key, or deny to count it as failed.`;
}
