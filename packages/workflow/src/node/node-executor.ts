import type { EventData, WorkGate } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import type { NodeErrorCode } from "../document/workflow-document.ts";
import type { PlanVertex } from "../plan/run-plan.ts";

/** Runs one node. Never throws for what a node may come to: every failure is an outcome. */
export type NodeExecutor = (context: NodeExecContext) => Promise<NodeOutcome>;

/** The values that templates and expressions of a node see. */
export interface NodeScope {
  readonly inputs: JsonObject;
  readonly ctx: JsonObject;
  /** The outputs of the nodes that are done, by their ids. */
  readonly outputs: { readonly [nodeId: string]: Json };
  /** Inside of a body: the item and its number, or the iteration and the last output. */
  readonly locals: JsonObject;
}

/** One execution of a node. */
export interface NodeExecContext {
  readonly vertex: PlanVertex;
  /** The node's id with the bodies it stands in: `summarise`, or `files[2].summarise`. */
  readonly path: string;
  readonly runId: string;
  /** From 1: which dispatch of the node this is. */
  readonly attemptNumber: number;
  /** The same for every execution of this attempt, also after a crash. */
  readonly idempotencyKey: string;
  readonly scope: NodeScope;
  readonly now: number;
  readonly signal: AbortSignal;
  /** Shows what the node does while it works. The run adds the node's id. */
  readonly emit: (event: NodeEvent) => void;
  /**
   * Makes it durable that a tool call is about to run, and resolves after that. Called before every call whose tool is neither read-only nor idempotent:
   * after a crash such a node is not repeated without a person's leave.
   */
  readonly announceCall: (call: AnnouncedCall) => Promise<void>;
  /** Asked before every attempt at a model, where the host keeps a budget. */
  readonly gate?: WorkGate;
}

export interface AnnouncedCall {
  readonly id: string;
  readonly tool_id: string;
  readonly arguments: Json;
}

type WithoutNode<Data> = Omit<Data, "node_id">;

/** An event of a node without its envelope. */
export type NodeEvent = {
  [Type in NodeEventType]: { readonly type: Type; readonly data: WithoutNode<EventData[Type]> };
}[NodeEventType];

/** The events that executors emit. */
export type NodeEventType = "node_delta" | "node_reasoning_delta" | "node_tool_call" | "node_tool_result" | "node_cost";

/** Why a node failed. The message holds no secret. */
export interface NodeFailure {
  readonly code: NodeErrorCode;
  readonly message: string;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
}

export interface NodeTokens {
  readonly input: number;
  readonly output: number;
  readonly model: string;
}

/** A node failed. Whether it is tried again is for its `retry` to say. */
export interface FailedNode {
  readonly kind: "failed";
  readonly error: NodeFailure;
  readonly tokensUsed?: NodeTokens;
  /** The executor has tried it as often as `retry` allows. */
  readonly isSpent?: true;
  /** It is not worth trying again before this time is over. */
  readonly retryAfterMs?: number;
}

/** What a node came to. */
export type NodeOutcome =
  | { readonly kind: "completed"; readonly output: Json; readonly tokensUsed?: NodeTokens }
  | FailedNode
  /** A condition chose a branch. */
  | { readonly kind: "branch"; readonly selected: boolean | string | number; readonly output: Json }
  /** The node is over when what it waits for has come. It holds no process meanwhile. */
  | { readonly kind: "paused"; readonly wait: NodeWait }
  /** A provider makes media and is asked again later. */
  | { readonly kind: "media_job"; readonly job: MediaJob; readonly tokensUsed?: NodeTokens };

/** What a paused node waits for: a person, a time, an event, or a run below. */
export type NodeWait =
  | {
      readonly type: "gate";
      readonly gate_type: "approval" | "input" | "review";
      readonly message: string;
      readonly assignee?: string;
      readonly response_schema?: JsonObject;
      readonly timeout_ms?: number;
      readonly timeout_action: "reject" | "approve";
    }
  | { readonly type: "sleep"; readonly duration_ms: number }
  | { readonly type: "event"; readonly event: string; readonly timeout_ms?: number }
  | { readonly type: "run"; readonly agent_id: string; readonly input: Json };

/** A job at a provider of media. */
export interface MediaJob {
  readonly provider: string;
  readonly model: string;
  readonly job_id: string;
  /** When it is worth asking again. */
  readonly poll_after_ms: number;
  /** How many questions in a row failed. */
  readonly failures?: number;
  /** When the node's `timeout_ms` is over. */
  readonly expires_at?: number;
}
