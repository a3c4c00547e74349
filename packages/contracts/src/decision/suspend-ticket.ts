import type { Json } from "@reprise/state";

/**
 * How a decision affects its call.
 * - `replay_tool_call`: the tool is executed, now allowed.
 * - `use_decision_as_tool_result`: the decision's result is the call's result; the tool is not executed.
 * - `pass_decision_to_tool`: the tool is executed and finds the decision in its context.
 */
export type ResumeMode = "replay_tool_call" | "use_decision_as_tool_result" | "pass_decision_to_tool";

/** Why a call waits, in words for the person who answers. */
export interface Suspension {
  readonly id: string;
  /** The kind of question: `approval`, `unknown_outcome`, `tool:<name>`, or a word of your own. */
  readonly action: string;
  readonly message?: string;
  readonly parameters?: Json;
  /** JSON Schema of the answer. */
  readonly response_schema?: { readonly [key: string]: Json };
}

/** A waiting call as clients see it. */
export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
}

export interface SuspendTicket {
  readonly suspension: Suspension;
  readonly pending: PendingCall;
  readonly resume_mode: ResumeMode;
  /** The source of the question: `plugin:<id>` or `tool:<id>`; absent for the runtime itself. */
  readonly asked_by?: string;
  /** How long the question stays open. After that the call counts as denied. */
  readonly expires_in_ms?: number;
}
