import type { Json } from "@reprise/state";
import type { DecisionInput } from "../decision/decision.ts";
import type { MessageInput } from "../message/message.ts";
import type { RunOverrides } from "./run-overrides.ts";
import type { RunPolicy } from "./run-policy.ts";
import type { RunOrigin } from "./run-record.ts";

/**
 * What happens when the thread has an open run.
 * - `enqueue`: wait for its turn.
 * - `continue`: a waiting run is superseded by this one; a running one is waited for.
 * - `interrupt`: the open run is cancelled and everything queued before is dropped.
 * - `rollback`: as interrupt, and the open run's state and messages are undone; its effects are not.
 * - `steer`: a run at work takes the messages in at its next step; when it ends before, they are a run of their own.
 * - `reject`: refused with `THREAD_BUSY`.
 */
export type BusyPolicy = "enqueue" | "continue" | "interrupt" | "rollback" | "steer" | "reject";

/**
 * Where the thread goes back to before anything is said: to what it was before a run of it began. That run's messages and all that
 * came later are superseded; effects are not undone.
 */
export interface RestorePoint {
  readonly run_id: string;
  /** What was said to the run stays, and is answered anew. */
  readonly keep_input?: boolean;
}

/** The one input of the runtime: every protocol is decoded into it. */
export interface RunRequest {
  readonly agent_id: string;
  /** Made when absent. Clients may choose it. */
  readonly thread_id?: string;
  readonly run_id?: string;
  readonly parent_run_id?: string;
  /** The tool call that starts this run. Its run is the one above unless `parent_run_id` names it. */
  readonly parent_call_id?: string;
  /** The thread of the run above. With it that thread is told when this run is over, unless a call waits for it. */
  readonly parent_thread_id?: string;
  readonly resource_id?: string;
  /** Who sent it; kept with its mailbox entry. A run that reports to another one is `run:<id>`. */
  readonly sender_id?: string;
  readonly origin?: RunOrigin;
  /** Merged one level deep into the application's state; the runtime's own keys are refused. */
  readonly state?: { readonly [key: string]: Json };
  /** Without any, the run works on the thread as it is. Those of the role `system` become context in a user's place. */
  readonly messages: readonly MessageInput[];
  readonly initial_decisions?: readonly DecisionInput[];
  readonly source_mailbox_entry_id?: string;
  readonly busy_policy?: BusyPolicy;
  /** An open run is interrupted for it, unless `enqueue` or `reject` is asked for. */
  readonly restore?: RestorePoint;
  readonly priority?: number;
  readonly dedupe_key?: string;
  readonly policy?: RunPolicy;
  /** Refused unless the agent has `client_overrides`. */
  readonly overrides?: RunOverrides;
  /** The budget of the run above, found when the request is accepted. Not for clients. */
  readonly budget_id?: string;
  readonly metadata?: { readonly [key: string]: Json };
}
