import { awaitsRun, isOwnQuestion, type SuspendTicket, type ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { AgUiInterrupt } from "./ag-ui-event.ts";
import type { OpenCall } from "./encoder-state.ts";

/** The open question of a call, in an event or in a call's row. */
export interface AgUiQuestion {
  readonly call_id: string;
  readonly tool_id: string;
  readonly ticket: SuspendTicket;
  readonly suspension: number;
  readonly binding_hash: string;
  readonly expires_at?: number;
}

/** What a suspended call waits for: its execution by the client, another run, or the answer of a person. */
export function waitOf(question: AgUiQuestion): NonNullable<OpenCall["waits"]> {
  const { ticket } = question;
  if (awaitsRun({ ticket })) return "run";
  const isFrontend = ticket.resume_mode === "use_decision_as_tool_result";
  return isFrontend && ticket.suspension.action.startsWith("tool:") ? "frontend" : interruptOf(question);
}

/** The questions of calls that wait, and the calls that are the client's to execute, as the store has them. */
export function waitsOf(
  calls: readonly ToolCallRecord[],
): readonly (readonly [string, NonNullable<OpenCall["waits"]>])[] {
  return calls.flatMap((call) => {
    const { status, call_id, ticket, binding_hash } = call;
    if (status !== "suspended" || ticket === undefined || binding_hash === undefined) return [];
    return [[call_id, waitOf({ ...call, ticket, binding_hash })] as const];
  });
}

const APPROVAL: Json = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" }, editedArgs: { type: "object" } },
  required: ["approved"],
};

function interruptOf(question: AgUiQuestion): AgUiInterrupt {
  const { call_id, tool_id, ticket, suspension, binding_hash, expires_at } = question;
  const { id, action, message, parameters, response_schema } = ticket.suspension;
  const isOwn = isOwnQuestion({ tool_id });
  const isApproval = ticket.resume_mode === "replay_tool_call";
  const schema = response_schema ?? (isApproval ? APPROVAL : undefined);
  return {
    id,
    reason: isOwn ? `reprise:${action}` : isApproval ? "tool_call" : "input_required",
    ...(message !== undefined && { message }),
    ...(!isOwn && { toolCallId: call_id }),
    ...(schema !== undefined && { responseSchema: schema }),
    ...(expires_at !== undefined && { expiresAt: new Date(expires_at).toISOString() }),
    metadata: {
      action,
      toolName: ticket.pending.name,
      arguments: ticket.pending.arguments,
      ...(parameters !== undefined && { parameters }),
      resumeMode: ticket.resume_mode,
      suspension,
      bindingHash: binding_hash,
    },
  };
}
