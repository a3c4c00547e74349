import type { Json } from "@reprise/state";
import type { SnakeCased } from "../shape/stored-names.ts";

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
  /** How long the question stays open. After that the call counts as denied, or `on_expiry` says what happens. */
  readonly expires_in_ms?: number;
  /** `execute`: the tool is executed again when the time is up. No person is asked. */
  readonly on_expiry?: "execute";
  /** The run whose end answers the call. No person is asked. */
  readonly run_id?: string;
}

/** Whether a call continues without a person: it waits for a run below it, or for a time. */
export function continuesByItself({
  ticket,
}: {
  readonly ticket?: Pick<SuspendTicket, "run_id" | "on_expiry"> | undefined;
}): boolean {
  return ticket?.run_id !== undefined || ticket?.on_expiry === "execute";
}

/** Whether a call waits for a run below it instead of a person. */
export function awaitsRun({ ticket }: { readonly ticket?: SuspendTicket | undefined }): boolean {
  return ticket?.run_id !== undefined;
}

/** A ticket as a plugin writes it: ids, the pending call and the resume mode are filled in where they are left out. */
export interface SuspendOptions {
  readonly action: string;
  readonly message?: string;
  readonly parameters?: Json;
  readonly responseSchema?: { readonly [key: string]: Json };
  readonly resumeMode?: SuspendTicket["resume_mode"];
  /** The call as the person who answers sees it, when that differs from the call itself. */
  readonly pending?: { readonly id?: string; readonly name?: string; readonly arguments?: Json };
  /** How long the question stays open; after that the call counts as denied. */
  readonly expiresInMs?: number;
  /** Ask although this plugin asked about this call before and was answered. */
  readonly again?: boolean;
}

/** `SuspendOptions` as they are stored. */
export interface SuspendRequest extends SnakeCased<SuspendOptions> {
  readonly on_expiry?: "execute";
  readonly run_id?: string;
}
