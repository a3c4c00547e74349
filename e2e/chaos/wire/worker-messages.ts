import type { AgentEvent, DecisionVerb, RunRequest } from "@reprise/contracts";
import type { Json, Op } from "@reprise/state";
import type { ToolName } from "../workload/tool-kinds.ts";

/** What a client may ask a worker for. */
export type WorkerAsk =
  | {
      readonly op: "start";
      /** Without a run id, the server makes one: the same for everybody who comes with the same key. */
      readonly request: RunRequest;
      readonly idempotency_key?: string;
    }
  | {
      readonly op: "decide";
      readonly target: string;
      readonly verb: DecisionVerb;
      readonly decision_id: string;
      /** The question it answers, when its sender says so. */
      readonly suspension?: number;
      /** Decides before the call is suspended: about exactly this. */
      readonly early?: EarlyCall;
      readonly idempotency_key?: string;
    }
  /** One call of a tool, without a model, on a thread of its own. */
  | {
      readonly op: "call_tool";
      readonly agent: string;
      readonly tool: ToolName;
      readonly arguments: Json;
      readonly thread_id: string;
      readonly idempotency_key: string;
    }
  | { readonly op: "cancel"; readonly run_id: string; readonly reason: string }
  | { readonly op: "patch"; readonly thread_id: string; readonly ops: readonly Op[]; readonly expected?: number }
  | { readonly op: "open_decisions"; readonly thread_id: string }
  | { readonly op: "run_state"; readonly run_id: string; readonly thread_id: string }
  | { readonly op: "thread_version"; readonly thread_id: string }
  | { readonly op: "open_work" }
  /** What is open of the trees whose runs at the top are on a thread. */
  | { readonly op: "open_tree"; readonly thread_id: string }
  | { readonly op: "done_runs"; readonly offset: number }
  /** Whether a run that is over replays as it was recorded. */
  | { readonly op: "verify"; readonly run_id: string }
  /** A finished run as one value, for inspection. */
  | { readonly op: "export"; readonly run_id: string }
  | {
      readonly op: "subscribe";
      readonly sub: number;
      readonly run_id: string;
      readonly after?: string;
      readonly follow: boolean;
    }
  | { readonly op: "unsubscribe"; readonly sub: number };

/** A call as its stream told of it, before it waits for anybody. */
export interface EarlyCall {
  readonly thread_id: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly tool: ToolName;
  readonly arguments: Json;
}

export type AskOf<Op extends WorkerAsk["op"]> = Extract<WorkerAsk, { op: Op }>;

export interface AskLine {
  readonly id: number;
  readonly ask: WorkerAsk;
}

/** Why something was refused, as a client would be told. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly [key: string]: Json };
}

export type ReplyLine =
  | { readonly id: number; readonly answer: Json }
  | { readonly id: number; readonly refusal: Refusal }
  | { readonly sub: number; readonly event: AgentEvent; readonly cursor: string }
  | { readonly sub: number; readonly ended: string };
