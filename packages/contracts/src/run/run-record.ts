import type { Json } from "@reprise/state";
import type { RunStatus } from "../lifecycle/run-lifecycle.ts";
import type { RunOverrides } from "./run-overrides.ts";
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

/** Why no model could be asked: a provider said when to come back, is left alone, or failed too often. */
export type ModelWaitReason = "rate_limited" | "cooling_down" | "breaker_open";

/** A run's wait for a model. */
export interface ModelWait {
  /** When a model was first found to be out of reach: patience counts from here. */
  readonly since: number;
  /** When the run tries again. */
  readonly until: number;
  readonly reason: ModelWaitReason;
}

/** Whether a run waits for a model, which time answers, and not for a decision. Messages that come meanwhile are queued. */
export function isWaitingForModel({ status, model_wait }: Pick<RunRecord, "status" | "model_wait">): boolean {
  return status === "waiting" && model_wait !== undefined;
}

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
  /** The code of the error a run ended with: one of the catalogue, `POISON` or `BUFFER_LOST`. */
  readonly error_code?: string;
  /** Set from the moment no model could be asked until one answered. A run that waits with it waits for time to pass. */
  readonly model_wait?: ModelWait;
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
  /** What its client chose; kept so that every activation does the same. */
  readonly overrides?: RunOverrides;
  readonly created_at: number;
  readonly updated_at: number;
  readonly metadata?: { readonly [key: string]: Json };
}
