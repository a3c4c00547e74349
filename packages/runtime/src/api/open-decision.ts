import type { SuspendTicket, ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** A call that waits for an answer. */
export interface OpenDecision {
  /** The call's id: what to decide. */
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly tool_id: string;
  readonly arguments: Json;
  readonly ticket: SuspendTicket | undefined;
  readonly suspension: number;
  readonly binding_hash: string;
  readonly expires_at?: number;
}

export function toOpenDecision(call: ToolCallRecord): OpenDecision {
  return {
    id: call.call_id,
    run_id: call.run_id,
    thread_id: call.thread_id,
    tool_id: call.tool_id,
    arguments: call.arguments,
    ticket: call.ticket,
    suspension: call.suspension,
    binding_hash: call.binding_hash ?? "",
    ...(call.expires_at !== undefined && { expires_at: call.expires_at }),
  };
}
