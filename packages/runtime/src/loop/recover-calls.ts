import type { Decision, Tool, ToolCallRecord } from "@reprise/contracts";
import type { AgentView } from "../run/ports.ts";
import { askAbout } from "../thread/ask-about.ts";
import { admitCall } from "../tools/admit-call.ts";
import type { RunnableCall } from "./call-executor.ts";
import { executeAll, type RoundRun } from "./execute-calls.ts";
import type { InboxOwner } from "./read-inbox.ts";
import { finishCall, pauseCall, type ToldRun } from "./settle-call.ts";

/**
 * Picks up the calls an owner left at work. One that may be run again is; one whose effect may have happened, and that cannot be run
 * again safely by the tool that began it, waits for a human, who alone can find out. Calls that were never begun are left to the
 * loop. Returns why the run should end, when a tool says so.
 */
export async function recoverCalls(workspace: RoundRun): Promise<string | undefined> {
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
async function recoverCall(workspace: RoundRun, call: ToolCallRecord): Promise<RunnableCall | undefined> {
  const tool = workspace.agent.tools.get(call.tool_id);
  if (tool === undefined) return askWhatHappened(workspace, call, "The tool is no longer there.");
  // Whether running it again is safe is a part of the version: what today's tool says of itself is not said of the old one.
  if (workspace.versionOf(call.tool_id) !== call.tool_version)
    return askWhatHappened(workspace, call, "The tool has changed since.");
  const isRead = tool.descriptor.class === "read_only";
  const isSafe = isRead || tool.descriptor.idempotent || call.repeatable === true;
  if (!isSafe && !(await mayRepeat(workspace, tool, call))) return askWhatHappened(workspace, call);
  const decision = call.repeatable === true ? undefined : await decisionOf(workspace, call);
  const isCounted = call.status === "running" && workspace.effects.loopVersion >= 5;
  const admission = await admitCall(workspace, call, { approved: true, decision, isCounted });
  if (admission.kind === "run") return { call, admission, decision };
  if (admission.kind === "suspend") await pauseCall(workspace, call, admission.ticket);
  // Refused by a rule that was not there before: that says nothing about what the first execution did.
  else if (admission.trigger === "fail" && !isRead)
    await askWhatHappened(workspace, call, admission.result.message ?? undefined);
  else await finishCall(workspace, call, admission);
  return undefined;
}

/** Whether the tool says so of this very call. The first versions of the loop did not ask. */
async function mayRepeat({ effects }: InboxOwner, tool: Tool, call: ToolCallRecord): Promise<boolean> {
  if (effects.loopVersion < 4) return false;
  const question = { kind: "check", of: `${call.call_id}-again` } as const;
  return effects.perform(question, () => tool.mayRepeat?.(call.arguments) ?? false);
}

/** Asks about a call as one of the tool that is there now, if any: that is the one an approval would run. */
async function askWhatHappened(
  workspace: ToldRun & Pick<AgentView, "versionOf">,
  interrupted: ToolCallRecord,
  why?: string,
): Promise<undefined> {
  const { tool_id } = interrupted;
  const call = { ...interrupted, tool_version: workspace.versionOf(tool_id) };
  const again = call.tool_version === "" ? "" : "approve to run it again with the same key, ";
  const message = [
    `The process died while ${tool_id} was running.`,
    ...(why === undefined ? [] : [why]),
    `Supply its result if it took effect, ${again}or deny to count it as failed.`,
  ].join(" ");
  await pauseCall(workspace, call, askAbout(call, "unknown_outcome", message));
}

/** The decision that let the call run the first time, if one did: it sees the same again. */
async function decisionOf({ store, effects }: InboxOwner, call: ToolCallRecord): Promise<Decision | undefined> {
  if (call.suspension === 0) return undefined;
  return effects.perform({ kind: "decision", of: call.call_id }, () =>
    store.loadDecision(call.run_id, call.call_id, call.suspension),
  );
}
