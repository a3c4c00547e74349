import {
  describeProblem,
  flag,
  needed,
  numberFrom,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  recordOf,
} from "@reprise/contracts/shape";
import { invalidCase } from "../case/read-case.ts";
import { worstOf } from "../check/check-result.ts";
import { EVAL_MODES, type EvalMode } from "../play/eval-mode.ts";
import type { CaseMetrics, CaseResult, Experiment, Regression } from "./experiment.ts";

/** The form of a baseline; a reader refuses any other. */
export const BASELINE_FORMAT = "reprise-baseline/1";

/** By how much a case may be worse than the baseline. */
export interface Tolerance {
  /** In points of the pass rate, from 0 to 1: 0 unless given. */
  readonly pass_rate?: number;
  /** As a share of the baseline: 0.1 is ten per cent more. */
  readonly cost_microcents?: number;
  readonly tokens?: number;
  readonly steps?: number;
  readonly tool_calls?: number;
  readonly latency_ms?: number;
}

/** What cases came to at a time that was good: a file that lives beside them. */
export interface Baseline {
  readonly format: typeof BASELINE_FORMAT;
  readonly mode: EvalMode;
  readonly tolerance: Tolerance;
  readonly cases: { readonly [id: string]: CaseMetrics };
}

/** What a new baseline tolerates. */
const DEFAULT_TOLERANCE: Tolerance = {
  pass_rate: 0,
  cost_microcents: 0.1,
  tokens: 0.1,
  steps: 0,
  tool_calls: 0,
};

const BASELINE: ObjectShape<Baseline> = objectOf<Baseline>({
  format: needed(oneOf(BASELINE_FORMAT)),
  mode: needed(oneOf(...EVAL_MODES)),
  tolerance: needed(
    objectOf<Tolerance>({
      pass_rate: optional(numberFrom(0)),
      cost_microcents: optional(numberFrom(0)),
      tokens: optional(numberFrom(0)),
      steps: optional(numberFrom(0)),
      tool_calls: optional(numberFrom(0)),
      latency_ms: optional(numberFrom(0)),
    }),
  ),
  cases: needed(
    recordOf(
      objectOf<CaseMetrics>({
        pass_rate: needed(numberFrom(0)),
        cost_microcents: needed(numberFrom(0)),
        is_unpriced: optional(flag),
        tokens: needed(numberFrom(0)),
        steps: needed(numberFrom(0)),
        tool_calls: needed(numberFrom(0)),
        latency_ms: needed(numberFrom(0)),
      }),
    ),
  ),
});

/** Refuses what is no baseline: `EVAL_CASE_INVALID`. */
export function readBaseline(value: unknown, name = "The baseline"): Baseline {
  const problems = BASELINE.problems(value, []).map((problem) => describeProblem(problem));
  if (problems.length > 0) throw invalidCase(`${name} is not valid: ${problems.join("; ")}.`, { problems });
  // Its shape was just checked.
  return value as Baseline;
}

export function baselineOf({ mode, cases }: Experiment, tolerance: Tolerance = DEFAULT_TOLERANCE): Baseline {
  return {
    format: BASELINE_FORMAT,
    mode,
    tolerance,
    cases: Object.fromEntries(cases.map(({ id, metrics }) => [id, metrics])),
  };
}

const GROWING = ["cost_microcents", "tokens", "steps", "tool_calls", "latency_ms"] as const;

/**
 * Holds a case against the baseline. The pass rate decides whether it failed: a case that never passed all of its trials may stay as it
 * was. More cost, time or steps than tolerated is a warning; a metric without a tolerance is not compared. A cost that is known on one
 * side only cannot be compared, which is a warning too.
 */
export function compareCase(result: CaseResult, { cases, tolerance }: Baseline): CaseResult {
  const before = Object.hasOwn(cases, result.id) ? cases[result.id] : undefined;
  if (before === undefined) return result;
  const { metrics } = result;
  const regressions: Regression[] = [];
  const isWorse = metrics.pass_rate < before.pass_rate - (tolerance.pass_rate ?? 0);
  if (isWorse)
    regressions.push({ metric: "pass_rate", baseline: before.pass_rate, actual: metrics.pass_rate, verdict: "failed" });
  for (const metric of GROWING) {
    const share = tolerance[metric];
    if (share === undefined) continue;
    const unpriced = metric === "cost_microcents" ? unpricedSide(before, metrics) : undefined;
    if (unpriced === undefined && metrics[metric] <= before[metric] * (1 + share)) continue;
    const values = { baseline: before[metric], actual: metrics[metric] };
    regressions.push({ metric, ...values, verdict: "warned", ...(unpriced !== undefined && { unpriced }) });
  }
  // What failed in trials is tolerated as far as it did before.
  const own = result.verdict === "failed" && !isWorse ? "warned" : result.verdict;
  return { ...result, verdict: worstOf([own, ...regressions.map(({ verdict }) => verdict)]), regressions };
}

/** Where both costs are unknown, what is known of them is compared: a model without a price was accepted with the baseline. */
function unpricedSide(before: CaseMetrics, now: CaseMetrics): Regression["unpriced"] {
  const [was, is] = [before.is_unpriced === true, now.is_unpriced === true];
  return was === is ? undefined : is ? "actual" : "baseline";
}

/** The cases of a baseline that were not evaluated. */
export function missingCases({ cases }: Baseline, results: readonly CaseResult[]): readonly string[] {
  const known = new Set(results.map(({ id }) => id));
  return Object.keys(cases).filter((id) => !known.has(id));
}
