import type { Json, JsonObject } from "@reprise/state";
import type { BudgetPolicy } from "../budget/budget.ts";
import type { ToolExecutionMode } from "../run/run-overrides.ts";
import type { SnakeCased } from "../shape/stored-names.ts";
import type { Composition } from "./composition.ts";
import type { ProgramSpec } from "./program-spec.ts";
import type { StopConditionSpec } from "./stop-condition.ts";

/**
 * How a run proceeds when some calls of a round are suspended and others are done.
 * - `wait`: the run waits; the model is called after the last decision.
 * - `continue`: the model continues, with placeholders for the open calls.
 */
export type PartialSuspension = "wait" | "continue";

/** How often and how patiently a model is asked again before the next one is. */
export interface RetryOptions {
  readonly maxAttemptsPerModel?: number;
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
  readonly backoffJitterPercent?: number;
  readonly maxRetryWindowMs?: number;
  readonly retryStreamStart?: boolean;
  readonly maxStreamEventRetries?: number;
  readonly streamErrorFallbackThreshold?: number;
  /** How long a run waits in all while no model can be asked: 600,000. With 0 it fails at once. */
  readonly patienceMs?: number;
}

/** `RetryOptions` as they are stored. */
export interface RetryPolicy extends SnakeCased<RetryOptions> {}

/** A model that stands in for another, with a patience of its own. */
export interface FallbackModel {
  /** The id of a model; with `provider`, that provider's own name for it. */
  readonly model: string;
  readonly provider?: string;
  /** Attempts in all; 1 unless it is given. */
  readonly maxAttempts?: number;
  readonly backoffMs?: number;
}

/** A `FallbackModel` as it is stored. */
export interface FallbackEntry extends SnakeCased<FallbackModel> {}

/** Where an agent that runs elsewhere is reached. */
export interface RemoteEndpoint {
  /** Which backend speaks to it; `a2a` unless said otherwise. */
  readonly backend?: string;
  readonly url: string;
  readonly remote_agent_id?: string;
  readonly poll_interval_ms?: number;
  readonly auth?:
    | { readonly kind: "bearer_token"; readonly token: string }
    | { readonly kind: "header"; readonly name: string; readonly value: string };
}

/** Keeps a conversation inside the model's window. Every field has a default. The limits of the model always apply too. */
export interface ContextOptions {
  /** Tokens of a request and its answer together: 200,000, or what the model has if that is less. */
  readonly maxContextTokens?: number;
  /** Of these, kept free for the answer: 16,384, or half of a small window. */
  readonly maxOutputTokens?: number;
  /** The newest messages, which are never left out: 10. */
  readonly minRecentMessages?: number;
  /** Whether the part of a request that stays the same is marked for providers that keep it: true. */
  readonly enablePromptCache?: boolean;
  /** From so many tokens of a request on, the plugin `context` compacts. It acts on the two below as well. */
  readonly autocompactThreshold?: number | null;
  /** Which messages a compaction leaves as they are: the newest ones, or only those that cannot be summarised yet. */
  readonly compactionMode?: "keep_recent_raw_suffix" | "compact_to_safe_frontier";
  /** How many of the newest messages `keep_recent_raw_suffix` keeps: 2. */
  readonly compactionRawSuffixMessages?: number;
}

/** `ContextOptions` as they are stored. */
export interface ContextPolicy extends SnakeCased<ContextOptions> {}

/** The space for the requests of an agent: its context policy, within the limits of its model. */
export interface ContextWindow {
  /** Tokens a model reads and writes together. */
  readonly tokens: number;
  /** Of these, kept free for its answer. */
  readonly outputTokens: number;
  /** Messages at the end that are never left out. */
  readonly minRecentMessages: number;
  readonly isCached: boolean;
  /** A request of this size is to be compacted. Absent when the policy does not say, or when the request would not fit by then. */
  readonly autocompactThreshold?: number;
  readonly compactionMode: NonNullable<ContextOptions["compactionMode"]>;
  readonly compactionRawSuffixMessages: number;
}

/** A mutating tool that may run beside others of its kind. */
export interface ToolConcurrency {
  /** How many at once; as many as the pool holds when absent. */
  readonly max?: number;
}

/** An agent as other agents know it. */
export interface AgentSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** An agent as data, with every field in its one name. `readAgentSpec` makes it of what people write, aliases included. */
export interface AgentSpec {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The id of a model. Absent only for an agent that runs elsewhere or is made of others. */
  readonly model?: string;
  readonly system_prompt: string;
  readonly plugin_ids: readonly string[];
  /** Configuration of plugins, by section. */
  readonly sections: { readonly [key: string]: Json };
  readonly context_policy?: ContextPolicy;
  /** Absent together with its patterns: all. Empty: none. */
  readonly allowed_tools?: readonly string[];
  readonly allowed_tool_patterns?: readonly string[];
  readonly excluded_tools: readonly string[];
  readonly excluded_tool_patterns: readonly string[];
  /** Which skills the plugin `skills` may offer, by the same rules as tools. */
  readonly allowed_skills?: readonly string[];
  readonly allowed_skill_patterns?: readonly string[];
  readonly excluded_skills?: readonly string[];
  readonly excluded_skill_patterns?: readonly string[];
  /** Agents that the plugin `agent_tools` offers as a tool each. */
  readonly delegates?: readonly string[];
  /** Which agents may work for this one, by the same rules as tools. */
  readonly allowed_agents?: readonly string[];
  readonly allowed_agent_patterns?: readonly string[];
  readonly excluded_agents?: readonly string[];
  readonly excluded_agent_patterns?: readonly string[];
  readonly max_rounds: number;
  readonly stop_condition_specs: readonly StopConditionSpec[];
  readonly stop_condition_ids: readonly string[];
  readonly tool_execution_mode: ToolExecutionMode;
  readonly partial_suspension: PartialSuspension;
  /** Whether read-only tools may start while the model still speaks. */
  readonly start_reads_early: boolean;
  /** Mutating tools that may run at the same time. */
  readonly tool_concurrency: { readonly [toolId: string]: ToolConcurrency };
  readonly chat_options: { readonly [key: string]: Json };
  /** JSON Schema of what a run answers with. An answer that does not fit is sent back once, then the run fails. */
  readonly output_schema?: JsonObject;
  /** The budget of each run of this agent and the runs below it. A request can set another one. */
  readonly budget?: BudgetPolicy;
  /** Models to try after the first: an id, asked as patiently as the first, or an entry with a patience of its own. */
  readonly fallback_models: readonly (string | FallbackEntry)[];
  readonly llm_retry_policy?: RetryPolicy;
  /** Whether a client may choose the model, the prompt and the settings of a run. */
  readonly client_overrides: boolean;
  readonly endpoint?: RemoteEndpoint;
  /** The agents that this one is made of. It has no model of its own then. */
  readonly compose?: Composition;
  /** What its runs do instead of asking a model. */
  readonly program?: ProgramSpec;
}
