import type { CheckResult, Verdict } from "../check/check-result.ts";
import type { ObservedRun } from "../check/observe-run.ts";
import type { TrialJudgement } from "../judge/trial-judgement.ts";
import type { EvalMode } from "../play/eval-mode.ts";
import type { PlayCounts, PlayNote } from "../play/played-world.ts";

/** The form of a result; a reader refuses any other. */
export const EXPERIMENT_FORMAT = "reprise-experiment/1";

/** What a played run did, without its state and the results of its calls. */
export type RunSummary = Omit<ObservedRun, "state" | "results">;

/** One playing of a case. */
export interface TrialResult {
  readonly verdict: Verdict;
  readonly checks: readonly CheckResult[];
  readonly notes: readonly PlayNote[];
  readonly counts: PlayCounts;
  /** What judges said, where the case has any. */
  readonly judgements?: readonly TrialJudgement[];
  /** Absent when the case could not be played. */
  readonly run?: RunSummary;
  /** Of the replay, in `verify`. */
  readonly hash?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The means over the trials of a case. */
export interface CaseMetrics {
  /** The share of trials that did not fail, from 0 to 1. */
  readonly pass_rate: number;
  readonly cost_microcents: number;
  /** True when the cost of a trial is not known. It is then higher than `cost_microcents`. */
  readonly is_unpriced?: boolean;
  readonly tokens: number;
  readonly steps: number;
  readonly tool_calls: number;
  readonly latency_ms: number;
}

/** A metric that differs from the baseline by more than the tolerance, or cannot be compared with it. */
export interface Regression {
  readonly metric: Exclude<keyof CaseMetrics, "is_unpriced">;
  readonly baseline: number;
  readonly actual: number;
  readonly verdict: Verdict;
  /** Set when one of the two costs is not known: that of the baseline or the actual one. */
  readonly unpriced?: "baseline" | "actual";
}

export interface CaseResult {
  readonly id: string;
  readonly agent_id: string;
  /** The run that the case was saved of. */
  readonly run_id: string;
  readonly verdict: Verdict;
  readonly metrics: CaseMetrics;
  readonly trials: readonly TrialResult[];
  /** Against the baseline, where there is one with this case. */
  readonly regressions?: readonly Regression[];
}

/** What an evaluation of some cases came to. */
export interface Experiment {
  readonly format: typeof EXPERIMENT_FORMAT;
  readonly id: string;
  readonly name?: string;
  readonly mode: EvalMode;
  /** Another agent than the recorded ones. */
  readonly agent?: string;
  readonly trials: number;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly verdict: Verdict;
  readonly totals: Readonly<Record<Verdict, number>>;
  readonly counts: PlayCounts;
  readonly cases: readonly CaseResult[];
  /** Cases of the baseline that were not evaluated. */
  readonly missing: readonly string[];
}
