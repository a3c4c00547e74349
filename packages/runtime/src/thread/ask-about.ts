import {
  continuesByItself,
  type ResumeMode,
  type SuspendRequest,
  type SuspendTicket,
  type ToolCallRecord,
} from "@reprise/contracts";

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

/** What calls have as their id outside while they wait for no person: stores index it, so that such calls are counted without being read. */
export const NO_PERSON = "reprise/no-person";

/** The ticket of a question a plugin or a tool asks: what they left out follows from the call. */
export function ticketFor(
  call: ToolCallRecord,
  request: SuspendRequest,
  { askedBy, mode }: { readonly askedBy: string; readonly mode: ResumeMode },
): SuspendTicket {
  const { action, message, parameters, response_schema, pending, expires_in_ms, on_expiry, run_id } = request;
  return {
    suspension: {
      id: nextSuspensionId(call),
      action,
      ...(message !== undefined && { message }),
      ...(parameters !== undefined && { parameters }),
      ...(response_schema !== undefined && { response_schema }),
    },
    pending: {
      id: pending?.id ?? (continuesByItself({ ticket: request }) ? NO_PERSON : call.call_id),
      name: pending?.name ?? call.tool_id,
      arguments: pending?.arguments ?? call.arguments,
    },
    resume_mode: request.resume_mode ?? mode,
    asked_by: askedBy,
    ...(expires_in_ms !== undefined && { expires_in_ms }),
    ...(on_expiry !== undefined && { on_expiry }),
    ...(run_id !== undefined && { run_id }),
  };
}
