import type { AgentEvent, DecisionVerb, RunRequest } from "@reprise/contracts";
import type { Json, Op } from "@reprise/state";

/** What a client may ask a worker for. */
export type WorkerAsk =
  | { readonly op: "start"; readonly request: RunRequest }
  | {
      readonly op: "decide";
      readonly target: string;
      readonly verb: DecisionVerb;
      readonly decision_id: string;
      /** The question it answers, when its sender says so. */
      readonly suspension?: number;
      /** Decides before the call is suspended: about exactly this. */
      readonly early?: EarlyCall;
    }
  | { readonly op: "cancel"; readonly run_id: string; readonly reason: string }
  | { readonly op: "patch"; readonly thread_id: string; readonly ops: readonly Op[]; readonly expected?: number }
  | { readonly op: "open_decisions"; readonly thread_id: string }
  | { readonly op: "run_state"; readonly run_id: string; readonly thread_id: string }
  | { readonly op: "thread_version"; readonly thread_id: string }
  | { readonly op: "open_work" }
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
  readonly tool: string;
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
