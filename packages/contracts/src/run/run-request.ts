import type { Json, Op } from "@reprise/state";
import { DECISION_INPUT, type DecisionInput } from "../decision/decision.ts";
import { findOversize, MAX_METADATA_BYTES } from "../json/bounded-json.ts";
import { MESSAGE_INPUT, type MessageInput } from "../message/message.ts";
import { named, needed, type ObjectShape, objectOf, openObjectOf, optional } from "../shape/object-shape.ts";
import {
  flag,
  listOf,
  narrowed,
  nonEmptyText,
  oneOf,
  recordOf,
  type Shape,
  unchecked,
  wholeNumber,
} from "../shape/shape.ts";
import { idText } from "../thread/assert-id.ts";
import { FRONTEND_CONTEXT, FRONTEND_TOOLS, type FrontendContext, type FrontendTool } from "./frontend.ts";
import { RUN_OVERRIDES, type RunOverrides } from "./run-overrides.ts";
import { RUN_POLICY, type RunPolicy } from "./run-policy.ts";
import { RUN_ORIGINS, type RunOrigin, type TreeMember } from "./run-record.ts";
import { traceparentText, tracestateText } from "./trace-context.ts";

/**
 * How a request is treated while the thread has an open run.
 * - `enqueue`: wait for its turn.
 * - `continue`: a waiting run is superseded by this one; a running one is waited for.
 * - `interrupt`: the open run is cancelled and everything queued before is dropped.
 * - `rollback`: as interrupt, and the open run's state and messages are undone; its effects are not.
 * - `steer`: a run at work takes the messages in at its next step; when it ends before, they are a run of their own.
 * - `reject`: refused with `THREAD_BUSY`.
 */
export type BusyPolicy = "enqueue" | "continue" | "interrupt" | "rollback" | "steer" | "reject";

/**
 * The point that the thread goes back to first: its state before a run of it began. That run's messages and all later ones are
 * superseded; effects are not undone.
 */
export interface RestorePoint {
  readonly run_id: string;
  /** Keeps the input of that run and answers it again. */
  readonly keep_input?: boolean;
}

/** The one input of the runtime: every protocol is decoded into it. `RUN_REQUEST` below describes the same fields for readers and checks. */
export interface RunRequest {
  readonly agent_id: string;
  /** Generated when absent. Clients may choose it. */
  readonly thread_id?: string;
  readonly run_id?: string;
  readonly parent_run_id?: string;
  /** The tool call that starts this run. The parent run is the call's run unless `parent_run_id` is given. */
  readonly parent_call_id?: string;
  /** That call does not wait for this run. Set by the runtime. Not for clients. */
  readonly background?: true;
  /** The parent's thread. It gets a message when this run is over, unless a tool call waits for the run. */
  readonly parent_thread_id?: string;
  readonly resource_id?: string;
  /** The sender, kept with the mailbox entry. A run that reports to another one is `run:<id>`. */
  readonly sender_id?: string;
  readonly origin?: RunOrigin;
  /** Merged one level deep into the application's state. Keys of the runtime are refused. */
  readonly state?: { readonly [key: string]: Json };
  /** Keys of the application's state to delete. */
  readonly removed_state?: readonly string[];
  /** Tools that the client executes. A tool of the agent with the same id counts instead. */
  readonly frontend_tools?: readonly FrontendTool[];
  /** Shown to the model in every step of the run, in the user's position. */
  readonly context?: readonly FrontendContext[];
  /** Without messages the run works on the thread as it is. Messages with the role `system` become context in the user's position. */
  readonly messages: readonly MessageInput[];
  readonly initial_decisions?: readonly DecisionInput[];
  readonly busy_policy?: BusyPolicy;
  /** Interrupts an open run, unless the busy policy is `enqueue` or `reject`. */
  readonly restore?: RestorePoint;
  readonly priority?: number;
  readonly dedupe_key?: string;
  readonly policy?: RunPolicy;
  /** Refused unless the agent has `client_overrides`. */
  readonly overrides?: RunOverrides;
  /** The budget that the run spends, set when the request is accepted with the three after it. Not for clients. */
  readonly budget_id?: string;
  readonly allotment_id?: string;
  readonly counts_calls?: true;
  readonly deadline_at?: number;
  /** The position in a tree of runs, set by the runtime. Not for clients. */
  readonly depth?: number;
  readonly root_run_id?: string;
  /** A run of a tree whose cancellation ends this run too, set by the runtime. Not for clients. */
  readonly heeds?: TreeMember;
  /** What plugins of the run above pass on, set by the runtime. Not for clients. */
  readonly inherited?: readonly InheritedState[];
  /** The run that the messages are for. They are a dead letter once it is over. Set by the runtime. Not for clients. */
  readonly for_run_id?: string;
  /** The trace that the request belongs to, in the form of W3C Trace Context: the run continues it. */
  readonly traceparent?: string;
  /** What tracing systems say beside the `traceparent`, without which it is dropped. */
  readonly tracestate?: string;
  readonly metadata?: { readonly [key: string]: Json };
}

/** A state that a plugin of the run above passes on to the run below. */
export interface InheritedState {
  readonly plugin_id: string;
  /** The agent whose plugin it is. */
  readonly agent_id: string;
  readonly state: string;
  readonly ops: readonly Op[];
}

const MAX_MESSAGES = 10_000;

const anyObject: Shape<{ readonly [key: string]: Json }> = recordOf(unchecked<Json>());

/**
 * The fields of a run request: their names on the wire, their checks, and their JSON Schema. The runtime checks rules about several
 * fields at once.
 */
export const RUN_REQUEST: ObjectShape<RunRequest> = openObjectOf<RunRequest>({
  agent_id: named(needed(nonEmptyText), "agentId", "agent_id"),
  thread_id: named(optional(idText), "threadId", "thread_id", "contextId", "context_id"),
  run_id: named(optional(idText), "runId", "run_id", "taskId", "task_id"),
  parent_run_id: named(optional(idText), "parentRunId", "parent_run_id"),
  parent_call_id: named(optional(idText), "parentCallId", "parent_call_id"),
  parent_thread_id: named(
    optional(idText),
    "parentThreadId",
    "parent_thread_id",
    "parentContextId",
    "parent_context_id",
  ),
  resource_id: named(optional(nonEmptyText), "resourceId", "resource_id"),
  sender_id: named(optional(nonEmptyText), "senderId", "sender_id"),
  origin: optional(oneOf(...RUN_ORIGINS)),
  state: optional(narrowed(anyObject, findStateProblem)),
  removed_state: named(
    optional(narrowed(listOf(nonEmptyText), (keys) => findKeyProblem(keys as readonly string[]))),
    "removedState",
    "removed_state",
  ),
  frontend_tools: named(optional(FRONTEND_TOOLS), "frontendTools", "frontend_tools"),
  context: optional(FRONTEND_CONTEXT),
  messages: needed(listOf(MESSAGE_INPUT, MAX_MESSAGES)),
  initial_decisions: named(optional(listOf(DECISION_INPUT)), "decisions", "initialDecisions", "initial_decisions"),
  busy_policy: named(
    optional(oneOf("enqueue", "continue", "interrupt", "rollback", "steer", "reject")),
    "busyPolicy",
    "busy_policy",
  ),
  restore: optional(objectOf<RestorePoint>({ run_id: needed(idText), keep_input: optional(flag) })),
  priority: optional(wholeNumber),
  dedupe_key: named(optional(nonEmptyText), "dedupeKey", "dedupe_key"),
  policy: optional(RUN_POLICY),
  overrides: optional(RUN_OVERRIDES),
  budget_id: optional(unchecked<string>()),
  allotment_id: optional(unchecked<string>()),
  counts_calls: optional(unchecked<true>()),
  deadline_at: optional(unchecked<number>()),
  background: optional(unchecked<true>()),
  depth: optional(unchecked<number>()),
  root_run_id: optional(unchecked<string>()),
  heeds: optional(unchecked<TreeMember>()),
  inherited: optional(unchecked<readonly InheritedState[]>()),
  for_run_id: optional(unchecked<string>()),
  traceparent: optional(traceparentText),
  tracestate: optional(tracestateText),
  metadata: optional(narrowed(anyObject, findMetadataProblem)),
});

/** State of the runtime and state that plugins guard cannot be set from outside. */
function findStateProblem(state: Json): string | undefined {
  return findKeyProblem(Object.keys(state as object));
}

function findKeyProblem(keys: readonly string[]): string | undefined {
  for (const key of keys) {
    if (key.startsWith("__") || key === "permission_policy" || key === "sub_agents")
      return `${JSON.stringify(key)} belongs to the runtime and cannot be set by a request`;
    if (key === "constructor" || key === "prototype") return `${JSON.stringify(key)} cannot be a state key`;
  }
  return undefined;
}

function findMetadataProblem(metadata: Json): string | undefined {
  const bytes = findOversize(metadata, MAX_METADATA_BYTES);
  return bytes === undefined ? undefined : `at most ${MAX_METADATA_BYTES} bytes as JSON are taken (got ${bytes})`;
}
