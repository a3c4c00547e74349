import type { Json, JsonObject } from "@reprise/state";
import type { Workflow } from "../document/workflow-document.ts";
import type { NodeFailure } from "../node/node-executor.ts";

/** What is stored of a workflow run, in the run's part of the thread's state. */
export interface WorkflowState {
  /** The document that the run keeps, and its hash. */
  readonly workflow: Workflow;
  readonly document: string;
  /** Secrets are masked. */
  readonly inputs: JsonObject;
  /** Absent until it is computed. */
  readonly ctx?: JsonObject;
  /** The names of the host's secrets, by the inputs that ask for them. */
  readonly secrets: { readonly [input: string]: string };
  /** By path: `summarise`, or `files[2].summarise`. A node that has not begun is absent. */
  readonly nodes: { readonly [path: string]: NodeRecord };
  /** The hash of a newer document that the run does not take. */
  readonly keeps?: string;
  /** The limit of the budget, once it was raised. */
  readonly budget_limit?: number;
  /** Why the run failed, once it did. */
  readonly error?: NodeFailure & { readonly node_id?: string };
}

/** How one node stands. */
export interface NodeRecord {
  readonly status: NodeStatus;
  /** Which dispatch it is, from 1. */
  readonly attempt: number;
  readonly started_at: number;
  /** Of a node that is over. Large ones are stored as blobs. */
  readonly output?: StoredValue;
  /** The branch that a condition took. */
  readonly selected?: boolean | string | number;
  readonly error?: NodeFailure;
  readonly reason?: "branch_not_taken" | "upstream_unreachable";
  /** Calls of tools that cannot be repeated and were about to run. Only while the node runs. */
  readonly calls?: readonly { readonly id: string; readonly tool_id: string }[];
  /** What it waits for. */
  readonly wait?: { readonly type: WaitType; readonly call_id: string };
  /** Of a fan-out: how many items it has. Each is the output of a record of its own, `files[2]#item`. */
  readonly count?: number;
  /** Of a loop: how many iterations have begun. */
  readonly iterations?: number;
  /** Of a media job: what the provider is asked about. */
  readonly job?: JsonObject;
}

/**
 * - `running`: an activation works on it, or its body runs.
 * - `waiting`: something outside ends the wait.
 */
export type NodeStatus = "running" | "waiting" | "completed" | "failed" | "skipped";

export type WaitType =
  | "gate"
  | "sleep"
  | "event"
  | "run"
  | "media_job"
  | "retry"
  | "rate_limit"
  | "unknown_outcome"
  | "budget";

/** A value, or where it lies. */
export type StoredValue = Json;

const BLOB = "$blob";

/** A value that was too large for the state. */
export interface BlobValue extends JsonObject {
  readonly $blob: string;
  readonly bytes: number;
}

export function isBlobValue(value: StoredValue | undefined): value is BlobValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return typeof (value as JsonObject)[BLOB] === "string" && Object.keys(value).length === 2;
}

export function isSettled({ status }: Pick<NodeRecord, "status">): boolean {
  return status === "completed" || status === "failed" || status === "skipped";
}
