import type { Message, ToolCallRecord, ToolCallRequest } from "@reprise/contracts";
import { getAt } from "@reprise/state";
import { readToolResult, toolErrorText, toolOutput } from "../chat/tool-output.ts";
import { asksApproval, describeQuestion } from "./approval-descriptor.ts";
import type { UiToolPart, UiToolState } from "./ui-message.ts";

/** What the store has of one call. */
export interface StoredCall {
  readonly request: ToolCallRequest;
  /** Its result, once there is one. */
  readonly message: Message | undefined;
  readonly record: ToolCallRecord | undefined;
}

/** A call as a page shows it. Its arguments are those it ran with, which may have been edited. */
export function toolPart({ request, message, record }: StoredCall): UiToolPart {
  const input = record?.arguments ?? request.arguments;
  const state = message === undefined ? openState(record) : endState(request, message, record);
  return { type: `tool-${request.name}`, toolCallId: request.id, input, ...state };
}

/** A question of the runtime's own: no message asks for it. */
export function questionPart(record: ToolCallRecord): UiToolPart {
  const { call_id: toolCallId, tool_id: toolName, arguments: input } = record;
  return { type: "dynamic-tool", toolName, toolCallId, input, ...openState(record) };
}

function openState(record: ToolCallRecord | undefined): UiToolState {
  const { status, ticket, binding_hash, suspension = 0, expires_at } = record ?? {};
  const isAsked = status === "suspended" && ticket !== undefined && asksApproval(ticket);
  if (!isAsked || binding_hash === undefined) return { state: "input-available" };
  const question = { ticket, suspension, binding_hash, ...(expires_at !== undefined && { expires_at }) };
  return {
    state: "approval-requested",
    approval: { id: ticket.suspension.id, descriptor: describeQuestion(question) },
  };
}

function endState(request: ToolCallRequest, message: Message, record: ToolCallRecord | undefined): UiToolState {
  const result = readToolResult(request.name, message);
  if (result.status !== "error") return { state: "output-available", output: toolOutput(result) };
  const isDenied =
    getAt(result.data, ["error", "code"]) === "denied" && (record?.status ?? "cancelled") === "cancelled";
  // The question is no longer kept. Clients want to know that there was one, not which.
  if (isDenied) return { state: "output-denied", approval: { id: request.id, approved: false } };
  return { state: "output-error", errorText: toolErrorText(result) };
}
