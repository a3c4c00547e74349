import type { Json } from "@reprise/state";
import type { RunStatus } from "../lifecycle/run-lifecycle.ts";
import type { RunOverrides } from "./run-overrides.ts";
import type { RunPolicy } from "./run-policy.ts";

/** The origin of a run. */
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

/** Why no model could be called: the provider said when to retry, its circuit is open, or it failed too often. */
export type ModelWaitReason = "rate_limited" | "cooling_down" | "breaker_open";

/** A run's wait for a model. */
export interface ModelWait {
  /** When no model could first be reached. Patience counts from here. */
  readonly since: number;
  /** When the run retries. */
  readonly until: number;
  readonly reason: ModelWaitReason;
}

/** Whether a run waits for a model, for runs below it or for a time, instead of a decision. Messages that arrive meanwhile are queued. */
export function resumesByItself({
  status,
  model_wait,
  awaits_runs,
}: Pick<RunRecord, "status" | "model_wait" | "awaits_runs">): boolean {
  return status === "waiting" && (model_wait !== undefined || awaits_runs === true);
}

/** A handoff that was asked for. It takes place before the next step, once every call of the run is over. */
export interface PendingHandoff {
  readonly agent_id: string;
  /** A word for the agent that takes over. */
  readonly message?: string;
}

/** Every agent that worked on a run, in order: the one it was started with first, the active one last. */
export function agentPathOf({ agent_id, agent_path }: AgentsOfRun): readonly string[] {
  return agent_path ?? [agent_id];
}

/** The agent that works on a run: the one it was started with, or the one that it was last handed to. */
export function activeAgentOf({ agent_id, agent_path }: AgentsOfRun): string {
  return agent_path?.at(-1) ?? agent_id;
}

type AgentsOfRun = Pick<RunRecord, "agent_id" | "agent_path">;

/** A run of a tree, and the run at the top of the tree: itself unless given. */
export interface TreeMember {
  readonly run_id: string;
  readonly root_run_id?: string;
}

/** The cost and tokens of runs, added up. */
export interface Spending {
  readonly cost_microcents: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly runs: number;
  /** False when a model without a known price was used: then the actual cost is higher. */
  readonly priced: boolean;
}

/** One unit of work on a thread, from acceptance to one terminal outcome. */
export interface RunRecord {
  readonly run_id: string;
  readonly thread_id: string;
  /** The agent that the run was started with. */
  readonly agent_id: string;
  /** Every agent that worked on the run, in order; the last one is active. Absent before the first handoff. */
  readonly agent_path?: readonly string[];
  readonly handoff?: PendingHandoff;
  readonly parent_run_id?: string;
  /** The tool call of the parent run that started this run. */
  readonly parent_call_id?: string;
  /** Set when that call does not wait for the run. */
  readonly background?: true;
  readonly parent_thread_id?: string;
  readonly resource_id?: string;
  readonly origin: RunOrigin;
  readonly status: RunStatus;
  readonly termination_code?: string;
  readonly termination_detail?: string;
  /** The code of the error a run ended with: one of the catalogue, `POISON` or `BUFFER_LOST`. */
  readonly error_code?: string;
  /** Set from the moment no model could be called until one answered. A waiting run with it resumes by itself. */
  readonly model_wait?: ModelWait;
  /** Set while every open call of a waiting run continues by itself: the end of a run below, or the time, resumes this run. */
  readonly awaits_runs?: true;
  /** How many runs above this one started each other: 0, and absent, for a run that no tool call started. */
  readonly depth?: number;
  /** The run at the top of the tree; absent for that run itself. */
  readonly root_run_id?: string;
  /** A run whose cancellation ends this run too: this run continues its work, because a run below it has reported. */
  readonly heeds?: TreeMember;
  /** Set once a tool call of this run started another run. */
  readonly has_children?: true;
  readonly source_mailbox_entry_id?: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The cost of its model calls so far, in millionths of a cent; absent while no call had a price. */
  readonly cost_microcents?: number;
  /** Set after a call to a model without a known price. The actual cost is then higher than `cost_microcents`. */
  readonly is_unpriced?: true;
  /** What the run and all runs below it took, as of its end. Only for a run that has some. */
  readonly total?: Spending;
  /** The run whose budget this run spends: itself, or a run above it. */
  readonly budget_id?: string;
  /** The run whose allotment of that budget this run spends: itself, or a run above it. Absent when it spends the budget itself. */
  readonly allotment_id?: string;
  /** Set when a limit of tool calls holds for the run: its own, or one above. */
  readonly counts_calls?: true;
  /** When the time of the run is over: its own limit, or that of a run above, whichever comes first. */
  readonly deadline_at?: number;
  /** Steps begun so far, over all activations. */
  readonly steps: number;
  /** The thread's version before the run's first commit. A rollback returns to it. */
  readonly base_version: number;
  /** The last `seq` committed. */
  readonly last_seq: number;
  /** How often the owner was lost since the last commit that made progress. */
  readonly recoveries: number;
  /** Hash of the agent's definition that the run works with: its prompt, plugins, model and tools. */
  readonly definition?: string;
  /** The run's policy, kept so that every activation obeys it. */
  readonly policy?: RunPolicy;
  /** The client's overrides, kept so that every activation obeys them. */
  readonly overrides?: RunOverrides;
  /** The trace of the request that started it, in the form of W3C Trace Context. */
  readonly traceparent?: string;
  /** The `tracestate` that came with it. */
  readonly tracestate?: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly metadata?: { readonly [key: string]: Json };
}
