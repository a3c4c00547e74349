import type { AgentEvent } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { Refusal, WorkerAsk } from "../wire/worker-messages.ts";

/**
 * What a client saw, in the order it saw it. A request without an answer or a refusal may have happened or not: its
 * connection was lost.
 */
export type WitnessRecord = { readonly at: number } & (
  | { readonly type: "asked"; readonly request: number; readonly worker: string; readonly ask: WorkerAsk }
  | { readonly type: "answered"; readonly request: number; readonly answer: Json }
  | { readonly type: "refused"; readonly request: number; readonly refusal: Refusal }
  | { readonly type: "lost"; readonly request: number }
  /** A stream began, after a cursor when one is given. */
  | { readonly type: "stream_opened"; readonly stream: number; readonly run_id: string; readonly after?: string }
  | { readonly type: "event"; readonly stream: number; readonly cursor: string; readonly event: AgentEvent }
  | { readonly type: "stream_closed"; readonly stream: number; readonly reason: string }
  /** Something was done to the system. */
  | { readonly type: "fault"; readonly fault: string; readonly worker?: string; readonly detail?: string }
  /** What was done to a store is undone, as far as it does not heal by itself. */
  | { readonly type: "healed"; readonly fault: string }
);

export type RecordOf<Type extends WitnessRecord["type"]> = Extract<WitnessRecord, { type: Type }>;
