import type { Json, JsonObject } from "@reprise/state";

/** A workflow as it is authored and stored. Every text with `{{ … }}` is a template. */
export interface WorkflowDocument {
  readonly schema_version: "1.0";
  readonly workflow: Workflow;
}

export interface Workflow {
  /** Kebab case. */
  readonly id: string;
  readonly version?: string;
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly trigger?: WorkflowTrigger;
  readonly inputs?: readonly WorkflowInput[];
  /** Values that are computed once, before any node. Templates in them may use `inputs` only. */
  readonly context?: { readonly [key: string]: Json };
  readonly agents?: readonly WorkflowAgent[];
  readonly tools?: ToolPolicy;
  readonly budget?: WorkflowBudget;
  /** The time a run may take in all, waits included. */
  readonly timeout_ms?: number;
  /** How many nodes work at the same time: 10 unless given. */
  readonly max_parallel?: number;
  /** Runs of this workflow with the same key: at most `limit` work at a time, the others wait their turn. */
  readonly concurrency?: KeyedLimit;
  /** What becomes of runs that began with another version of the document. Without it a person is asked. */
  readonly upgrade?: WorkflowUpgrade;
  readonly nodes: readonly WorkflowNode[];
  readonly edges?: readonly WorkflowEdge[];
}

/**
 * - `fail`: the run ends with an error.
 * - `finish_old`: the run keeps the document it began with.
 * - `restart_from`: the run continues with the new document. The node and everything behind it run again; everything else is kept.
 */
export type WorkflowUpgrade = "fail" | "finish_old" | { readonly restart_from: string };

export type WorkflowTrigger =
  | { readonly type: "manual" }
  | { readonly type: "schedule"; readonly cron: string; readonly timezone?: string; readonly inputs?: JsonObject }
  /** `secret` is the name of the environment variable that holds the secret of the signatures, never the secret itself. */
  | { readonly type: "webhook"; readonly secret: string; readonly inputs?: JsonObject };

export type WorkflowInputType = "string" | "number" | "boolean" | "json" | "file_path" | "code_diff" | "secret";

export interface WorkflowInput {
  readonly name: string;
  readonly type: WorkflowInputType;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: Json;
  readonly validation?: InputValidation;
}

/** Which of these apply depends on the type: bounds are for numbers, lengths and patterns for texts. The `enum` of a secret are names of secrets. */
export interface InputValidation {
  readonly min?: number;
  readonly max?: number;
  readonly enum?: readonly Json[];
  readonly format?: "email" | "url" | "uuid" | "date" | "date-time";
  readonly pattern?: string;
  readonly min_length?: number;
  readonly max_length?: number;
}

/** An agent of a workflow, in the document or in a file of its own. */
export interface WorkflowAgent {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly model: string;
  readonly provider: string;
  readonly system_prompt?: string;
  readonly temperature?: number;
  readonly max_tokens?: number;
  readonly reasoning_effort?: "off" | "low" | "medium" | "high" | "max";
  readonly input_schema?: JsonObject;
  readonly output_schema?: JsonObject;
  readonly tools?: readonly string[];
  readonly retry?: NodeRetry;
  readonly fallback_chain?: readonly FallbackLink[];
}

export interface FallbackLink {
  readonly provider: string;
  readonly model: string;
  readonly max_attempts?: number;
}

/** `max` counts all attempts. Pauses: `linear` base × n, `exponential` base × 2ⁿ⁻¹; base 1,000 ms unless given. */
export interface NodeRetry {
  readonly max: number;
  readonly backoff?: "linear" | "exponential";
  readonly backoff_ms?: number;
  readonly retry_on?: readonly NodeErrorCode[];
}

/** What tools of this workflow may reach. Tools ask with `toolReach`. A list that is absent or empty allows nothing. */
export interface ToolPolicy {
  readonly allowed_commands?: readonly string[];
  readonly allowed_command_globs?: readonly string[];
  readonly allowed_domains?: readonly string[];
}

export interface WorkflowBudget {
  readonly max_cost_microcents: number;
  readonly on_exceed?: "fail" | "pause_for_approval" | "warn";
}

/** At most `limit` at a time for each value of `key`, a template. */
export interface KeyedLimit {
  readonly key: string;
  readonly limit: number;
}

/** At most `limit` starts in each period. */
export interface RateLimit {
  readonly limit: number;
  readonly period_ms: number;
}

/** Why a node failed. The list is closed; only four of them may succeed when they are tried again. */
export const NODE_ERROR_CODES = [
  "validation",
  "content_filter",
  "provider_auth",
  "provider_rate_limit",
  "provider_unavailable",
  "tool_denied",
  "tool_failed",
  "tool_unavailable",
  "budget_exceeded",
  "run_timeout",
  "turn_limit",
  "cancelled",
  "sandbox_error",
  "internal",
] as const;

export type NodeErrorCode = (typeof NODE_ERROR_CODES)[number];

/** A node by its type. `id` is a kebab- or snake-case name, unique in the document, bodies included. */
export type WorkflowNode =
  | InputNode
  | AgentNode
  | ToolNode
  | ConditionNode
  | TransformNode
  | ParallelNode
  | FanOutNode
  | MergeNode
  | HumanGateNode
  | LoopNode
  | WaitNode
  | SubworkflowNode
  | OutputNode;

interface NodeBase {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The time one attempt may take. */
  readonly timeout_ms?: number;
  readonly retry?: NodeRetry;
  /** Limits that hold for all runs in the process. */
  readonly concurrency?: KeyedLimit;
  readonly rate_limit?: RateLimit;
}

/** Its output is the inputs of the run, secrets masked. */
export interface InputNode extends NodeBase {
  readonly type: "input";
}

export interface AgentNode extends NodeBase {
  readonly type: "agent";
  /** An agent of the document; or else an agent of the runtime, which does the work in a run of its own below this one. */
  readonly agent_ref: string;
  readonly system_prompt_append?: string;
  readonly prompt_template: string;
  readonly model?: string;
  readonly temperature?: number;
  readonly max_tokens?: number;
  /** A subset of the agent's tools. */
  readonly tools?: readonly string[];
  readonly output_schema?: JsonObject;
  readonly output_modalities?: readonly ("text" | "image" | "audio" | "video")[];
  readonly count?: number;
  readonly duration_seconds?: number;
}

export interface ToolNode extends NodeBase {
  readonly type: "tool";
  readonly tool: string;
  /** Texts in it are templates. A secret input may be a whole value in it: it stays a masked reference until the tool is called. */
  readonly arguments?: JsonObject;
}

export interface ConditionNode extends NodeBase {
  readonly type: "condition";
  readonly expression: string;
  /** The first branch whose `when` is strictly equal to the result is taken. */
  readonly branches: readonly { readonly when: boolean | string | number; readonly to: string }[];
  readonly default?: string;
}

export interface TransformNode extends NodeBase {
  readonly type: "transform";
  readonly expression: string;
}

/** Starts its branches at the same time. */
export interface ParallelNode extends NodeBase {
  readonly type: "parallel";
  readonly parallel_of: readonly string[];
}

/** Runs its body once for every item of a list. Its output is the list of the outputs, in the order of the items. */
export interface FanOutNode extends NodeBase {
  readonly type: "fan_out";
  /** An expression that gives an array. */
  readonly over: string;
  /** The name of the item in templates and expressions of the body: `item` unless given. Its number is `index`. */
  readonly as?: string;
  readonly max_parallel?: number;
  /** `fail_fast` unless given. With `collect` a failed item is `{ "error": … }` in the list. */
  readonly on_error?: "fail_fast" | "collect";
  readonly body: NodeGraph;
}

export interface MergeNode extends NodeBase {
  readonly type: "merge";
  readonly parallel_of?: string;
  readonly strategy: "concat" | "object_merge" | "first" | "custom";
  /** For `custom`: an expression over `branches`. */
  readonly merge_fn?: string;
}

export interface HumanGateNode extends NodeBase {
  readonly type: "human_gate";
  readonly gate_type: "approval" | "input" | "review";
  readonly assignee?: string;
  readonly message_template: string;
  /** JSON Schema of the answer of an `input` gate. */
  readonly response_schema?: JsonObject;
  /** `reject` unless given: then a gate without a decision fails the run. */
  readonly timeout_action?: "reject" | "approve";
}

/** Runs its body again and again while the expression holds, at most `max_iterations` times. */
export interface LoopNode extends NodeBase {
  readonly type: "loop";
  /** Asked before every iteration, with `iteration` (from 0) and `last`, the output of the one before. */
  readonly while: string;
  readonly max_iterations: number;
  readonly body: NodeGraph;
}

/** Exactly one of the two ways to wait. */
export interface WaitNode extends NodeBase {
  readonly type: "wait";
  /** A durable sleep. */
  readonly duration_ms?: number;
  /** The name of an event that is sent to the run. Its payload is the output. `timeout_ms` limits the wait. */
  readonly event?: string;
}

export interface SubworkflowNode extends NodeBase {
  readonly type: "subworkflow";
  readonly workflow_ref: string;
  /** Texts in it are templates. */
  readonly inputs?: JsonObject;
}

export interface OutputNode extends NodeBase {
  readonly type: "output";
  /** A relative path. Only `{{ run.id }}` may stand in it. */
  readonly save_to?: string;
}

/** A graph inside a node. Its output is that of its last node, or of its output nodes. */
export interface NodeGraph {
  readonly nodes: readonly WorkflowNode[];
  readonly edges?: readonly WorkflowEdge[];
}

/** `from` names a branch of a condition as `node:when`: `check:true`, `check:default`. */
export interface WorkflowEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  /** An expression. The edge counts as not taken when it is false. */
  readonly condition?: string;
}
