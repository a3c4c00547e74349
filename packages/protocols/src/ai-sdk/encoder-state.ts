import type { UiChunk } from "./ui-chunk.ts";

/**
 * Where a stream stands.
 * - `open`: the run is at work. · `suspended`: it waits for decisions, and the response may end.
 * - `finished`: nothing follows. · `withdrawn`: what was shown is no longer true; the client has to attach anew.
 */
export type StreamPhase = "open" | "suspended" | "finished" | "withdrawn";

/** A call whose part the client has and that has no result yet. */
export interface OpenCall {
  readonly name: string;
  /** The step its part is in; clients look for inputs in the last one only. `BELOW` for a call of a run below, which outlives steps. */
  readonly step: number;
  readonly isReady: boolean;
  readonly isDynamic: boolean;
}

export const BELOW = -1;

/** What the encoder remembers between two events. Plain data: the events of the run from its start give the same again. */
export interface AiSdkState {
  readonly phase: StreamPhase;
  /** The run's first assistant message: the one message the client has of the run. */
  readonly messageId?: string;
  /** Whether `start` was sent since the run began or last waited. */
  readonly isStarted: boolean;
  /** What came before the id of the message was known. */
  readonly waiting: readonly UiChunk[];
  /** Steps begun so far. */
  readonly steps: number;
  readonly isStepOpen: boolean;
  /** Whether the model has said all of the open step: only its calls are awaited. */
  readonly isStepSaid: boolean;
  /** The message of the step. */
  readonly stepMessageId: string;
  /** Text parts ended so far; the next one's number. */
  readonly texts: number;
  readonly isTextOpen: boolean;
  /** Reasoning parts begun in this step. */
  readonly reasonings: number;
  readonly isReasoningOpen: boolean;
  readonly calls: Readonly<Record<string, OpenCall>>;
  /** The runs below that are not over, by their ids. Each has a message of its own. */
  readonly children?: Readonly<Record<string, AiSdkState>>;
  /** Why the run is about to fail. Told last: clients read no further. */
  readonly failure?: string;
}

export const INITIAL_STATE: AiSdkState = {
  phase: "open",
  isStarted: false,
  waiting: [],
  steps: 0,
  isStepOpen: false,
  isStepSaid: false,
  stepMessageId: "",
  texts: 0,
  isTextOpen: false,
  reasonings: 0,
  isReasoningOpen: false,
  calls: {},
};

/** What one event came to. */
export type Encoded = readonly [state: AiSdkState, chunks: readonly UiChunk[]];

/** Does one thing after another. */
export function inOrder(state: AiSdkState, ...moves: readonly ((state: AiSdkState) => Encoded)[]): Encoded {
  return moves.reduce<Encoded>(
    ([current, chunks], move) => {
      const [next, more] = move(current);
      return [next, more.length === 0 ? chunks : [...chunks, ...more]];
    },
    [state, []],
  );
}
