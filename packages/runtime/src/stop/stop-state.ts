import { type ActionCreators, defineState, type Immutable, type StateDefinition } from "@reprise/state";

/** The history of earlier rounds for stop policies. Run-scoped: every run begins without a history. */
export interface StopHistory {
  /** The last step that is counted in here. */
  readonly noted_step: number;
  /** Milliseconds the run was worked on, up to the last round. */
  readonly active_ms: number;
  readonly consecutive_errors: number;
  /** The tools of the last rounds, oldest first. */
  readonly recent_tools: readonly (readonly string[])[];
}

export interface RoundNote {
  readonly step: number;
  readonly active_ms: number;
  readonly tools: readonly string[];
  readonly is_failed: boolean;
}

/** Rounds kept for policies that look back. */
export const ROUNDS_KEPT = 16;

type StopActions = { readonly note: [round: RoundNote]; readonly rest: [activeMs: number] };

export const stopHistory: StateDefinition<StopHistory> & ActionCreators<StopActions> = defineState({
  path: "__kernel.stop_policy_runtime",
  scope: "run",
  initial: (): StopHistory => ({ noted_step: 0, active_ms: 0, consecutive_errors: 0, recent_tools: [] }),
  actions: {
    rest: (history, active_ms: number): StopHistory => ({ ...history, active_ms }),
    note: (history, round: RoundNote): StopHistory => noteRound(history, round),
  },
});

/** The history with one step more. Only rounds with calls count as failed or not. */
function noteRound(history: Immutable<StopHistory>, { step, active_ms, tools, is_failed }: RoundNote): StopHistory {
  const noted = { ...history, noted_step: step, active_ms };
  if (tools.length === 0) return noted;
  return {
    ...noted,
    consecutive_errors: is_failed ? history.consecutive_errors + 1 : 0,
    recent_tools: [...history.recent_tools, tools].slice(-ROUNDS_KEPT),
  };
}
