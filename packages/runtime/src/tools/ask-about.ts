import type { SuspendTicket, ToolCallRecord } from "@reprise/contracts";

/** The id of the next suspension of a call: each question has its own. */
export function nextSuspensionId({ call_id, suspension }: ToolCallRecord): string {
  return `${call_id}-q${suspension + 1}`;
}

/** A ticket that asks a person about a call as it stands. */
export function askAbout(call: ToolCallRecord, action: string, message: string): SuspendTicket {
  const parameters = { tool_name: call.tool_id, tool_args: call.arguments };
  return {
    suspension: { id: nextSuspensionId(call), action, message, parameters },
    pending: { id: call.call_id, name: call.tool_id, arguments: call.arguments },
    resume_mode: "replay_tool_call",
  };
}
