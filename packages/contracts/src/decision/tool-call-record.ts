import type { Json } from "@reprise/state";
import type { ToolCallStatus } from "../lifecycle/tool-call-lifecycle.ts";
import type { SuspendTicket } from "./suspend-ticket.ts";

/** A tool call as the store indexes it: its status. Its arguments and result are in the thread. */
export interface ToolCallRecord {
  readonly call_id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly step_id: string;
  readonly tool_id: string;
  /** The author's version, if given, with a hash of the argument schema, the class and `idempotent`. */
  readonly tool_version: string;
  readonly provider_call_id?: string;
  readonly arguments: Json;
  /** Why the arguments could not be parsed. They are then the model's raw text. */
  readonly problem?: string;
  /** Why the call is refused in any case: its tool was hidden from the model in the step that called it. */
  readonly refusal?: string;
  /** Of a tool that does not exist: the tools that the model was told about, ten at most. */
  readonly told_tools?: string;
  readonly status: ToolCallStatus;
  /** How often the call has been suspended. */
  readonly suspension: number;
  /**
   * Hash of (tenant, thread, run, call, tool id, tool version, canonical arguments) that decisions are bound to.
   * Present once the call was suspended.
   */
  readonly binding_hash?: string;
  /** Present while suspended. */
  readonly ticket?: SuspendTicket;
  /** When an open question counts as denied, or the tool is executed again. */
  readonly expires_at?: number;
  /** Set once the tool asked to be executed again later: an execution that a crash interrupts is repeated. */
  readonly repeatable?: true;
  /** Sources whose question about this call was answered. They are not asked again unless they insist. */
  readonly answered?: readonly string[];
  readonly updated_at: number;
}

/** The prefix of ids that the runtime uses for its own questions in place of a tool id. Tool ids contain no slash. */
const OWN_CALL = "reprise/";

/** Whether a call is a question of the runtime itself. The model did not call it and gets no result, and it needs no tool. */
export function isOwnQuestion({ tool_id }: Pick<ToolCallRecord, "tool_id">): boolean {
  return tool_id.startsWith(OWN_CALL);
}
