import type { AcpStopReason, AcpUpdate } from "./acp-types.ts";
import type { AcpQuestion } from "./encode-question.ts";

/** One event, as far as a client has to do with it. */
export type AcpFrame =
  | { readonly type: "update"; readonly update: AcpUpdate }
  /** A call waits for a person. */
  | { readonly type: "question"; readonly question: AcpQuestion }
  /** The call waits no more: the question is withdrawn where it is still shown. */
  | { readonly type: "answered"; readonly callId: string }
  /** The turn is over. */
  | { readonly type: "stop"; readonly stopReason: AcpStopReason }
  | { readonly type: "failed"; readonly message: string; readonly code?: string };

/** A call that has no result yet. */
export interface OpenCall {
  readonly name: string;
  readonly isReady: boolean;
  readonly isAsked: boolean;
  /** The run below whose call it is; absent for a call of the run itself. */
  readonly runId?: string;
}

/** What the encoder remembers between two events. Plain data: the events of the run from its start give the same again. */
export interface AcpState {
  readonly phase: "open" | "finished";
  /** The message of the step at work. */
  readonly messageId?: string;
  /** How often text was withdrawn. ACP cannot take text back, so what is said again is a message of its own. */
  readonly attempt: number;
  readonly calls: Readonly<Record<string, OpenCall>>;
  /** The size of the model's window in tokens, where it is known. */
  readonly window?: number;
  readonly failure?: string;
}

export const INITIAL_ACP_STATE: AcpState = { phase: "open", attempt: 0, calls: {} };

export type Encoded = readonly [AcpState, readonly AcpFrame[]];

export function show(...updates: readonly AcpUpdate[]): readonly AcpFrame[] {
  return updates.map((update) => ({ type: "update", update }));
}
