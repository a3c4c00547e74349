import type { Json } from "@reprise/state";
import type { ToolCallStatus } from "../lifecycle/tool-call-lifecycle.ts";
import type { SuspendTicket } from "./suspend-ticket.ts";

/** A tool call as the store indexes it. What it did is in the thread; this row says where it stands. */
export interface ToolCallRecord {
  readonly call_id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly step_id: string;
  readonly tool_id: string;
  /** The author's version, if there is one, with a hash of the arguments' schema, the class and `idempotent`. */
  readonly tool_version: string;
  readonly provider_call_id?: string;
  readonly arguments: Json;
  /** Why the arguments could not be read; they are then the text as the model wrote it. */
  readonly problem?: string;
  /** Why the call may not run whatever happens: its tool was hidden from the model in the step that asked for it. */
  readonly refusal?: string;
  readonly status: ToolCallStatus;
  /** How often the call has been suspended. */
  readonly suspension: number;
  /**
   * Hash of (tenant, thread, run, call, tool id, tool version, canonical arguments): what a decision is about.
   * Present once the call was suspended.
   */
  readonly binding_hash?: string;
  /** Present while suspended. */
  readonly ticket?: SuspendTicket;
  /** When an open question counts as denied. */
  readonly expires_at?: number;
  /** Who asked about this call and was answered: they are not asked again, unless they insist. */
  readonly answered?: readonly string[];
  readonly updated_at: number;
}

/** The ids under which the runtime itself asks, where a tool's id would stand, begin like this. No tool has one: theirs have no slash. */
const OWN_CALL = "reprise/";

/** Whether a call is a question of the runtime's own. The model did not ask for it and gets no result, and it needs no tool. */
export function isOwnQuestion({ tool_id }: Pick<ToolCallRecord, "tool_id">): boolean {
  return tool_id.startsWith(OWN_CALL);
}
