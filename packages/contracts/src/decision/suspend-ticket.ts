import type { Json } from "@reprise/state";

/**
 * What a decision does to its call.
 * - `replay_tool_call`: the tool is executed, now allowed.
 * - `use_decision_as_tool_result`: the decision's result is the call's result; the tool is not executed.
 * - `pass_decision_to_tool`: the tool is executed and finds the decision in its context.
 */
export type ResumeMode = "replay_tool_call" | "use_decision_as_tool_result" | "pass_decision_to_tool";

/** Why a call waits, in the words of whoever will answer. */
export interface Suspension {
  readonly id: string;
  /** What is asked for: `approval`, `unknown_outcome`, `tool:<name>`, or your own. */
  readonly action: string;
  readonly message?: string;
  readonly parameters?: Json;
  /** JSON Schema of the answer. */
  readonly response_schema?: { readonly [key: string]: Json };
}

/** The call as the outside sees it while it waits. */
export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
}

export interface SuspendTicket {
  readonly suspension: Suspension;
  readonly pending: PendingCall;
  readonly resume_mode: ResumeMode;
  /** Who asks: `plugin:<id>`, `tool:<id>`; absent for the runtime itself. */
  readonly asked_by?: string;
  /** How long the question stays open; after that the call counts as denied. */
  readonly expires_in_ms?: number;
}
