import type { JsonObject } from "@reprise/state";

/** A call that is not over, with what was said about it. */
export interface KnownCall {
  readonly name: string;
  /** The last word of the rules about it. */
  readonly policy?: JsonObject;
  /** The question that was answered. */
  readonly approvalRef?: string;
  /** The question that is open. */
  readonly actionId?: string;
  readonly hooks?: readonly JsonObject[];
  readonly cancelReason?: string;
}

/** What the encoder remembers between two events. Plain data: the events of the run from its start give the same again. */
export interface FactState {
  readonly phase: "open" | "finished";
  readonly isStarted: boolean;
  readonly calls: Readonly<Record<string, KnownCall>>;
  /** The tools of the last catalogue, by name. */
  readonly tools: Readonly<Record<string, JsonObject>>;
}

export const INITIAL_FACT_STATE: FactState = { phase: "open", isStarted: false, calls: {}, tools: {} };
