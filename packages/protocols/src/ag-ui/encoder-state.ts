import type { Json } from "@reprise/state";
import type { AgUiEvent, AgUiInterrupt, AgUiUsage } from "./ag-ui-event.ts";

/**
 * Where a stream stands.
 * - `open`: the run is at work. · `suspended`: it waits for decisions, and the response may end.
 * - `finished`: nothing follows. · `withdrawn`: what was shown is no longer true; the client has to connect anew.
 */
export type AgUiPhase = "open" | "suspended" | "finished" | "withdrawn";

/** A call that has no result yet. */
export interface OpenCall {
  /** The id that the client knows the call by. Absent for a question of the runtime's own, which is no call. */
  readonly shownId?: string;
  readonly step: number;
  /** Whether its arguments are still being told. */
  readonly isOpen: boolean;
  readonly hasArguments: boolean;
  /** `frontend`: the client is to execute the call. `run`: it waits for another run, and nobody is asked. */
  readonly waits?: "frontend" | "run" | AgUiInterrupt;
}

/** A run below, as a stream of its own inside the stream. */
export interface Subagent {
  readonly state: AgUiState;
  /** How often it was told to begin. */
  readonly started: number;
  readonly isOpen: boolean;
}

/** The encoder's memory between two events. Plain data: the events of the run from its start give the same again. */
export interface AgUiState {
  readonly phase: AgUiPhase;
  /** Whether `RUN_STARTED` was sent since the run began or last waited. */
  readonly isStarted: boolean;
  readonly steps: number;
  readonly isStepOpen: boolean;
  /** The message of the step. */
  readonly messageId: string;
  /** How often the step began anew: its text then is another message, since no client takes text back. */
  readonly resets: number;
  /** What is being told: text, or reasoning. */
  readonly telling?: "text" | "reasoning";
  readonly calls: Readonly<Record<string, OpenCall>>;
  /** The latest content of each activity. */
  readonly activities: Readonly<Record<string, { readonly [key: string]: Json }>>;
  /** The runs below, by their ids. */
  readonly subagents: Readonly<Record<string, Subagent>>;
  /** The run as the client knows it, once it was told of it. */
  readonly run?: { readonly threadId: string; readonly runId: string };
  /** By model, since the run began or last waited. */
  readonly usage: readonly AgUiUsage[];
  /** Set once the client was shown something that is no part of the run: no event takes a message back. */
  readonly isStale?: true;
  /** Why the run is about to fail. Told last: clients read no further. */
  readonly failure?: string;
}

export const INITIAL_AG_UI_STATE: AgUiState = {
  phase: "open",
  isStarted: false,
  steps: 0,
  isStepOpen: false,
  messageId: "",
  resets: 0,
  calls: {},
  activities: {},
  subagents: {},
  usage: [],
};

/** The outcome of one event. */
export type AgUiEncoded = readonly [state: AgUiState, events: readonly AgUiEvent[]];

/** Does one thing after another. */
export function inOrder(state: AgUiState, ...moves: readonly ((state: AgUiState) => AgUiEncoded)[]): AgUiEncoded {
  let current = state;
  let events: readonly AgUiEvent[] = [];
  for (const move of moves) {
    const [next, more] = move(current);
    current = next;
    if (more.length > 0) events = events.length === 0 ? more : [...events, ...more];
  }
  return [current, events];
}
