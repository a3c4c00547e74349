import { type SuspendRequest, type ToolCallRecord, toolPending } from "@reprise/contracts";
import { getAt, type Json, type JsonObject } from "@reprise/state";
import { PROGRAM_CALL } from "../budget/budget-call.ts";
import { ticketFor } from "../thread/ask-about.ts";
import { callIdOf, messageIdOf, stepIdOf } from "../thread/derived-ids.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { suspendCall } from "./settle-call.ts";

/** Opens a call by which a program waits. Each is a step of its own, so that its id is unique. */
export function openProgramCall(workspace: RunWorkspace, about: JsonObject): ToolCallRecord {
  const { run_id, thread_id, steps } = workspace.run;
  const step_id = stepIdOf(run_id, steps + 1);
  workspace.setRun({ steps: steps + 1 });
  workspace.emitOnCommit("step_start", { message_id: messageIdOf(step_id) }, step_id);
  const asked = { tool_id: PROGRAM_CALL, tool_version: "1", arguments: about, updated_at: workspace.now };
  const call_id = callIdOf(step_id, 0);
  return { call_id, run_id, thread_id, step_id, ...asked, status: "new", suspension: 0 };
}

export function suspendProgramCall(workspace: RunWorkspace, call: ToolCallRecord, request: SuspendRequest): void {
  const ticket = ticketFor(call, request, { askedBy: "program", mode: "use_decision_as_tool_result" });
  suspendCall(workspace, call, ticket, toolPending(PROGRAM_CALL, ticket));
  workspace.emitOnCommit("step_end", {}, call.step_id);
}

/** The key under which the program knows a call. */
export function keyOf({ arguments: about }: Pick<ToolCallRecord, "arguments">): string {
  return textAt(about, "key");
}

export function textAt(about: Json, name: string): string {
  return String(getAt(about, [name]) ?? "");
}
