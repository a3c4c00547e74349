import type { Json } from "@reprise/state";
import type { WorkflowEvent } from "./workflow-event.ts";

/**
 * Where a stream stands.
 * - `unknown`: no workflow has begun. · `open`: it runs or waits.
 * - `finished`: nothing follows. · `withdrawn`: what was shown is no longer true; the client reads the run anew.
 */
export type WorkflowPhase = "unknown" | "open" | "finished" | "withdrawn";

/** The encoder's memory between two events. Plain data: the events of the run from its start give the same again. */
export interface WorkflowEncoderState {
  readonly phase: WorkflowPhase;
  /** The number of the last event. */
  readonly sequence: number;
  readonly startedAt: number;
  readonly timeoutMs?: number;
  /** Output nodes that began and are not over. */
  readonly outputNodes: readonly string[];
  /** The outputs of the output nodes that are done. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** The open gates, by node. */
  readonly gates: Readonly<Record<string, string>>;
  /** The nodes whose media is being made. */
  readonly mediaJobs: readonly string[];
  readonly tokens: { readonly input: number; readonly output: number };
  readonly costMicrocents: number;
}

export const INITIAL_WORKFLOW_STATE: WorkflowEncoderState = {
  phase: "unknown",
  sequence: 0,
  startedAt: 0,
  outputNodes: [],
  outputs: {},
  gates: {},
  mediaJobs: [],
  tokens: { input: 0, output: 0 },
  costMicrocents: 0,
};

/** The outcome of one event. */
export type WorkflowEncoded = readonly [state: WorkflowEncoderState, events: readonly WorkflowEvent[]];
