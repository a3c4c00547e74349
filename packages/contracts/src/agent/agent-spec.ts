import type { Json } from "@reprise/state";

export type ToolExecutionMode = "sequential" | "parallel_batch_approval" | "parallel_streaming";

/** A named model: which provider, which of its models, with which options. */
export interface ModelSpec {
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly chat_options?: { readonly [key: string]: Json };
}

/** An agent as data. */
export interface AgentSpec {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The id of a model. */
  readonly model: string;
  readonly system_prompt: string;
  /** Ids of tools. */
  readonly tools: readonly string[];
  readonly max_rounds: number;
  readonly tool_execution_mode: ToolExecutionMode;
  readonly chat_options: { readonly [key: string]: Json };
}
