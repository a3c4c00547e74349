import type { Json } from "@reprise/state";
import type { SuspendTicket } from "../decision/suspend-ticket.ts";

export type ToolResultStatus = "success" | "warning" | "pending" | "error";

/** The result of a call. `pending` suspends the call with its ticket. */
export interface ToolResult {
  readonly tool_name: string;
  readonly status: ToolResultStatus;
  readonly data: Json;
  readonly message: string | null;
  readonly metadata: { readonly [key: string]: Json };
  readonly suspension?: SuspendTicket;
}

/** How a finished call counts. */
export type ToolCallOutcome = "succeeded" | "failed" | "suspended" | "cancelled";

export function outcomeOf(result: Pick<ToolResult, "status">): Exclude<ToolCallOutcome, "cancelled"> {
  switch (result.status) {
    case "success":
    case "warning":
      return "succeeded";
    case "pending":
      return "suspended";
    case "error":
      return "failed";
    default:
      return result.status satisfies never;
  }
}

/**
 * Why a call failed, as shown to the model.
 * `unknown_outcome` never reaches the model by itself: a person decides first.
 */
export type ToolErrorCode =
  | "invalid_arguments"
  | "execution_failed"
  | "denied"
  | "tool_not_found"
  | "timeout"
  | "cancelled"
  | "blocked"
  | "superseded"
  | "expired"
  | "awaiting_decision"
  | "interrupted"
  | "incompatible_definition"
  | "invalid_output"
  | "unknown_agent"
  | "handoff_limit"
  | "handoff_loop"
  | "unknown_outcome";

export function toolSuccess(tool: string, data: Json, message: string | null = null): ToolResult {
  return { tool_name: tool, status: "success", data, message, metadata: {} };
}

/** An error result: data for the model, not a failure of the run. */
export function toolFailure(tool: string, code: ToolErrorCode, message: string): ToolResult {
  return { tool_name: tool, status: "error", data: { error: { code, message } }, message, metadata: {} };
}

export function toolPending(tool: string, suspension: SuspendTicket): ToolResult {
  const message = suspension.suspension.message ?? null;
  return { tool_name: tool, status: "pending", data: null, message, metadata: {}, suspension };
}
