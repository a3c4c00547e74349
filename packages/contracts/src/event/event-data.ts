import type { Json, TrackedPatch } from "@reprise/state";
import type { BudgetNotice, RunLimitsPolicy } from "../budget/budget.ts";
import type { Remember } from "../decision/decision.ts";
import type { SuspendTicket } from "../decision/suspend-ticket.ts";
import type { ModelErrorKind } from "../errors/model-error.ts";
import type { TokenUsage } from "../model/model.ts";
import type { ModelWaitReason, Spending } from "../run/run-record.ts";
import type { Termination } from "../run/termination.ts";
import type { ChildStatus } from "../tool/child-runs.ts";
import type { ToolOwner } from "../tool/tool-owner.ts";
import type { ToolCallOutcome, ToolResult } from "../tool/tool-result.ts";
import type { ContextOmission, ContextRef } from "./context-ref.ts";

/** The open question of a call. Published with the call's `tool_call_done`, after its commit. */
export interface SuspensionNotice {
  readonly ticket: SuspendTicket;
  readonly suspension: number;
  readonly binding_hash: string;
  readonly expires_at?: number;
}

/** An operation of JSON Patch, as clients get it. */
export interface JsonPatchData {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: Json;
}

/** Every event type with its data. Closed: a new type is a minor version of the format. */
export interface EventData {
  run_start: { readonly parent_run_id?: string };
  run_finish: {
    readonly result?: { readonly [key: string]: Json };
    readonly termination: Termination;
    /** Of a run with runs below it: what it took itself, and what it and they took together. */
    readonly spent?: { readonly own: Spending; readonly total: Spending };
  };
  text_delta: { readonly delta: string };
  reasoning_delta: { readonly delta: string };
  reasoning_encrypted_value: { readonly encrypted_value: string };
  tool_call_start: { readonly id: string; readonly name: string };
  tool_call_delta: { readonly id: string; readonly args_delta: string };
  tool_call_ready: { readonly id: string; readonly name: string; readonly arguments: Json };
  tool_call_done: {
    readonly id: string;
    readonly result: ToolResult;
    readonly patch?: TrackedPatch;
    readonly message_id: string;
    readonly outcome: ToolCallOutcome;
    readonly suspended?: SuspensionNotice;
  };
  tool_call_resumed: { readonly target_id: string; readonly result: Json };
  tool_call_cancelled: { readonly id: string; readonly reason: string };
  /** `message_id` is the id the assistant message of this step will have. */
  step_start: { readonly message_id: string };
  step_end: Record<never, never>;
  /** The step's model attempt was restarted: what it showed so far is withdrawn. */
  step_reset: { readonly message_id: string };
  /** The tail after `from_seq` was never committed and is withdrawn. Not journaled: it has no seq. */
  stream_reset: { readonly from_seq: number };
  /** A call started a run of another agent. Its events are in that run's own log. */
  child_run_start: ChildRunFact;
  /** What a run below does now, on the call that started it. Made by the reader's own stream: it has no seq. */
  child_run_progress: ChildProgressFact;
  inference_complete: { readonly model: string; readonly usage?: TokenUsage; readonly duration_ms: number };
  state_delta: { readonly delta: readonly JsonPatchData[] };
  activity_snapshot: {
    readonly message_id: string;
    readonly activity_type: string;
    readonly content: Json;
    readonly replace?: boolean;
  };
  error: { readonly message: string; readonly code?: string };
  context_resolved: ContextFact;
  model_routed: RouteFact;
  /** No model can be asked before `until`; then the run tries again. */
  model_waiting: { readonly until: number; readonly reason: ModelWaitReason };
  definition_changed: { readonly agent_id: string; readonly from: string; readonly to: string };
  /** Another agent works on the run from here on. `number` counts the handoffs of the run. */
  agent_handoff: { readonly from: string; readonly to: string; readonly number: number };
  budget_warning: BudgetFact & { readonly reason: BudgetNotice };
  cost_recorded: CostFact;
  permission_evaluated: PermissionFact;
  compaction_started: CompactionFact & {
    /** Whether the run continues meanwhile. */
    readonly background: boolean;
    /** The request that gave the occasion. */
    readonly estimated_tokens: number;
  };
  compaction_completed: CompactionFact & {
    readonly summary_preview: string;
    /** The tokens of the summarised messages, and of the summary. */
    readonly original_tokens: number;
    readonly summary_tokens: number;
    /** References for a reader of the summary: the first message that is still sent, and the references that the summary keeps. */
    readonly continuation_refs: readonly string[];
  };
  compaction_failed: CompactionFact & { readonly reason: CompactionFailure; readonly error?: string };
  guardrail_tripped: GuardrailFact;
  hook_completed: HookFact;
  tool_catalog_resolved: CatalogFact;
  /** A run of a workflow begins. Secret inputs are masked. */
  workflow_start: {
    readonly workflow_id: string;
    readonly document: string;
    readonly inputs: Json;
    /** The time that the run may take. */
    readonly timeout_ms?: number;
  };
  /** A node of a workflow begins. `attempt` counts from 1. */
  node_start: NodeFact & { readonly node_type: string; readonly attempt: number };
  /** The text that a node's model says. */
  node_delta: NodeFact & { readonly delta: string; readonly model: string };
  node_reasoning_delta: NodeFact & { readonly delta: string; readonly model: string };
  node_tool_call: NodeFact & NodeCallFact & { readonly model: string; readonly arguments: Json };
  node_tool_result: NodeFact & NodeCallFact & { readonly success: boolean; readonly output_summary: string };
  node_cost: NodeFact & NodeCostFact;
  node_end: NodeFact & NodeEndFact;
  /** The node failed and is tried again after a pause. `attempt` is the one that comes. */
  node_retry: NodeFact & { readonly attempt: number; readonly error: NodeErrorFact; readonly delay_ms: number };
  /** The node waits without holding a process. */
  node_wait: NodeFact & NodeWaitFact;
  /** What the node waited for has come. */
  node_resume: NodeFact & {
    readonly wait: NodeWaitFact["wait"];
    /** Of a gate. */
    readonly decision?: "approved" | "rejected" | "input_provided";
    readonly result?: Json;
    readonly decided_by?: string;
  };
}

/** A node of a workflow run. */
export interface NodeFact {
  /** Its id, with the bodies it stands in: `files[2].summarise`. */
  readonly node_id: string;
}

/** A tool call of a node's agent. */
export interface NodeCallFact {
  readonly id: string;
  readonly tool_id: string;
  /** Which attempt of the model's chain asked for it. */
  readonly attempt?: number;
}

export interface NodeErrorFact {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** The cost of one attempt at a model in a node. `attempt` counts those that were not skipped. */
export interface NodeCostFact {
  readonly model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  /** Of the whole run up to here. */
  readonly cumulative_cost_microcents: number;
  readonly attempt: number;
  /** False when the model has no price. */
  readonly priced: boolean;
}

/** How a node ended. */
export interface NodeEndFact {
  readonly outcome: "completed" | "failed" | "skipped";
  readonly attempt?: number;
  readonly output?: Json;
  /** The branch that a condition took. */
  readonly selected?: boolean | string | number;
  readonly error?: NodeErrorFact;
  /** Why it was skipped. */
  readonly reason?: "branch_not_taken" | "upstream_unreachable";
  readonly tokens?: { readonly input: number; readonly output: number; readonly model: string };
  readonly duration_ms?: number;
}

/** What a node waits for. `call_id` names the open decision, for everything that somebody else decides. */
export interface NodeWaitFact {
  readonly wait: "gate" | "sleep" | "event" | "run" | "media_job" | "unknown_outcome";
  readonly call_id: string;
  readonly gate_type?: string;
  readonly message?: string;
  readonly assignee?: string;
  readonly event?: string;
  readonly child_run_id?: string;
  readonly expires_at?: number;
  readonly timeout_action?: "reject" | "approve";
  /** Of a gate with the type `budget`. */
  readonly spent_microcents?: number;
  readonly limit_microcents?: number;
  /** Of a job that makes media: the model, and the provider's id of the job. */
  readonly model?: string;
  readonly job_id?: string;
}

/** A run below, and the call that started it. */
export interface ChildRunFact {
  /** The call's id. */
  readonly id: string;
  readonly child_run_id: string;
  readonly child_thread_id: string;
  readonly agent_id: string;
  /** How many runs above it started each other. */
  readonly depth: number;
  /** The call does not wait for the run. */
  readonly background?: boolean;
  /** The limits that were set for it. */
  readonly limits?: RunLimitsPolicy;
}

/** How a run below stands. Tokens and cost are its own. */
export interface ChildProgressFact {
  /** The id of the call that started it. */
  readonly id: string;
  readonly child_run_id: string;
  readonly agent_id: string;
  readonly status: ChildStatus;
  /** The steps it began. */
  readonly step: number;
  /** The tool it runs now. */
  readonly tool?: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Absent while no model call had a price. */
  readonly cost_microcents?: number;
}

/** The finding of a guardrail in an input or an output, and the action that followed. */
export interface GuardrailFact {
  readonly guardrail: string;
  readonly position: "input" | "tool_result" | "output";
  readonly action: "block" | "redact" | "retry" | "ask";
  /** The message that was checked; absent for an answer, which has none yet. */
  readonly message_id?: string;
  readonly reason?: string;
}

/** The answer of a hook outside of the process about a call. */
export interface HookFact {
  readonly hook: string;
  readonly point: "pre_tool" | "post_tool";
  /** The call's id. */
  readonly id: string;
  readonly tool_id: string;
  readonly decision: "allow" | "deny" | "ask" | "failed";
  readonly reason?: string;
  readonly duration_ms: number;
}

/** The tools the model may be told about. A large catalogue is stored as a document, and `tools` is empty. */
export interface CatalogFact {
  readonly count: number;
  /** Changes whenever the catalogue does. */
  readonly digest: string;
  readonly tools: readonly CatalogEntry[];
  /** Where the whole catalogue is, when it is not here: the document of this kind and id. */
  readonly tools_ref?: string;
}

/** A tool of a catalogue. */
export interface CatalogEntry {
  readonly tool_name: string;
  readonly description: string;
  /** Absent when it is too large to repeat: then `input_schema_ref` names it. */
  readonly input_schema?: { readonly [key: string]: Json };
  readonly input_schema_ref?: string;
  readonly capabilities: readonly string[];
  readonly policy: "available" | "ask" | "ask_by_arguments" | "denied" | "sandboxed" | "unavailable";
  readonly runtime_owner: ToolOwner;
  /** The plugin that brings the tool. */
  readonly plugin?: string;
  readonly metadata_ref?: string;
  readonly is_read_only: boolean;
  readonly is_concurrency_safe: boolean;
  readonly is_destructive: boolean;
  readonly interrupt_behavior: string;
}

/** The verdict of a permission rule on a call. */
export interface PermissionFact {
  /** The call's id. */
  readonly id: string;
  readonly tool_id: string;
  readonly decision: "allow" | "ask" | "deny";
  /** The plugin whose rules were asked. */
  readonly plugin: string;
  /** Why: a rule, the default, or the decision of a person. */
  readonly source: "rule" | "default" | "decision";
  /** The rule, and where it was found: `settings`, `always`, `thread`, `run` or `inherited` (from a run above). */
  readonly rule?: string;
  readonly scope?: string;
  /** When the rule ends. */
  readonly expires_at?: number;
  /** The decision of a person that counts, and how far it reaches beyond this call. */
  readonly decision_id?: string;
  readonly remember?: Remember;
}

/** One compaction of a thread, and the messages it covers. */
export interface CompactionFact {
  readonly compaction_id: string;
  /** `threshold`: the request reached the size that was set. `hard_limit`: it no longer fits. */
  readonly trigger: "threshold" | "hard_limit";
  readonly through_message_id: string;
  /** How many messages are summarised for the first time. */
  readonly messages: number;
  /** The runs they belong to; of very many, the last ones. */
  readonly turns: readonly string[];
}

/** `lost`: its process ended. `no_gain`: the summary was no shorter. `outdated`: the thread was rewound meanwhile. */
export type CompactionFailure = "no_answer" | "no_gain" | "lost" | "outdated";

/** The changes to a request before it was sent. Window and tokens are present when the agent has a context policy. */
export interface ContextFact {
  /** Which plugins shaped it, and how; `tool_ids` are the tools an action hides or leaves. */
  readonly contributions?: readonly {
    readonly plugin: string;
    readonly action: string;
    readonly tool_ids?: readonly string[];
  }[];
  /** The sources of the context that plugins added. */
  readonly refs?: readonly (ContextRef & { readonly plugin: string })[];
  /** Sources that were left out, and why. */
  readonly omissions?: readonly (ContextOmission & { readonly plugin: string })[];
  readonly window_tokens?: number;
  /** Kept free for the answer. */
  readonly output_tokens?: number;
  readonly estimated_tokens?: number;
  readonly estimated_by?: string;
  readonly dropped_messages?: number;
  /** Old results of tools that are shown as previews, so that more messages fit; absent when there are none. */
  readonly previewed_messages?: number;
}

/** How an inference found the model that answered. */
export interface RouteFact {
  readonly requested: string;
  /** The abilities beside text that the request needs. */
  readonly requirements: readonly string[];
  /** Models that could have been asked, in the order of preference. */
  readonly candidates: readonly string[];
  /** The model that answered; absent when none did. */
  readonly selected?: string;
  readonly reason: string;
  /** Models that were passed over because they failed too often or were asked too often. */
  readonly rate: readonly { readonly provider: string; readonly model: string; readonly state: string }[];
  readonly budget?: BudgetFact;
  readonly chain: readonly RoutedAttempt[];
}

/** One attempt of an inference, or a model that was skipped. */
export interface RoutedAttempt {
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly outcome: "succeeded" | "failed" | "skipped";
  readonly error?: ModelErrorKind;
  /** Why it was skipped. */
  readonly reason?: string;
  readonly cost_microcents?: number;
  /** When it began, in milliseconds since the inference began; absent when it was skipped. */
  readonly started_ms?: number;
  /** Absent when the attempt was skipped or never said how it ended. */
  readonly duration_ms?: number;
}

/** How a budget stands. */
export interface BudgetFact {
  readonly limit_microcents: number | null;
  readonly limit_tokens: number | null;
  readonly spent_microcents: number;
  readonly spent_tokens: number;
  readonly reserved_microcents: number;
  readonly reserved_tokens: number;
}

/** The cost of one attempt, with or without an answer. */
export interface CostFact {
  readonly provider: string;
  readonly model: string;
  /** Its number in the chain of `model_routed`, or in what the plugin asked. */
  readonly attempt: number;
  /** The plugin that asked the model; absent for the run's own steps. */
  readonly plugin?: string;
  readonly outcome: "succeeded" | "failed";
  readonly error?: ModelErrorKind;
  /** Absent when nothing is known of it: the attempt failed before the model spoke. */
  readonly usage?: TokenUsage;
  /** The attempt broke off before the provider said what it used: usage and cost are estimates. */
  readonly estimated?: boolean;
  readonly cost_microcents: number;
  /** Of the run up to here. */
  readonly run_cost_microcents: number;
  /** False when the model has no price, or the provider did not say what it used. */
  readonly priced: boolean;
}

export type EventType = keyof EventData;

/** The event types that plugins may emit. All others are the runtime's. */
export const PLUGIN_EVENTS = [
  "activity_snapshot",
  "compaction_started",
  "compaction_completed",
  "compaction_failed",
  "permission_evaluated",
  "guardrail_tripped",
  "hook_completed",
  "tool_catalog_resolved",
] as const;

export type PluginEventType = (typeof PLUGIN_EVENTS)[number];

/** An event as a plugin emits it: the runtime adds the run, the position and the time. */
export type PluginEvent = {
  [Type in PluginEventType]: { readonly type: Type; readonly data: EventData[Type] };
}[PluginEventType];
