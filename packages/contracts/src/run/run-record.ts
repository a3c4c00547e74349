import type { Json } from "@reprise/state";
import type { RunStatus } from "../lifecycle/run-lifecycle.ts";
import type { RunPolicy } from "./run-policy.ts";

/** Where a run came from. */
export type RunOrigin =
  | "user"
  | "subagent"
  | "ag_ui"
  | "ai_sdk"
  | "a2a"
  | "mcp"
  | "acp"
  | "nats"
  | "workflow"
  | "schedule"
  | "webhook"
  | "internal";

export const RUN_ORIGINS: readonly RunOrigin[] = [
  "user",
  "subagent",
  "ag_ui",
  "ai_sdk",
  "a2a",
  "mcp",
  "acp",
  "nats",
  "workflow",
  "schedule",
  "webhook",
  "internal",
];

/** One unit of work on a thread, from acceptance to one terminal outcome. */
export interface RunRecord {
  readonly run_id: string;
  readonly thread_id: string;
  readonly agent_id: string;
  readonly parent_run_id?: string;
  /** The tool call of that run which started this one. */
  readonly parent_call_id?: string;
  readonly parent_thread_id?: string;
  readonly resource_id?: string;
  readonly origin: RunOrigin;
  readonly status: RunStatus;
  readonly termination_code?: string;
  readonly termination_detail?: string;
  readonly source_mailbox_entry_id?: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** What its model calls cost so far, in millionths of a cent; absent while none had a price to ask for. */
  readonly cost_microcents?: number;
  /** Set once it asked a model whose price nobody knows: then it cost more than `cost_microcents`. */
  readonly is_unpriced?: true;
  /** The run whose budget this one spends from: itself, or one above it. */
  readonly budget_id?: string;
  /** Steps begun so far; goes on over activations. */
  readonly steps: number;
  /** The thread's version before the run's first commit: what a rollback goes back to. */
  readonly base_version: number;
  /** The last `seq` committed. */
  readonly last_seq: number;
  /** Times an owner was lost since the last commit that made progress. */
  readonly recoveries: number;
  /** Hash of the agent's definition the run works with: its prompt, plugins, model and tools. */
  readonly definition?: string;
  /** What this run may use; kept so that every activation obeys it. */
  readonly policy?: RunPolicy;
  readonly created_at: number;
  readonly updated_at: number;
  readonly metadata?: { readonly [key: string]: Json };
}
