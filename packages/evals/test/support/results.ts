import type { CaseMetrics, CaseResult, CheckResult, Experiment, TrialResult } from "../../src/index.ts";

const COUNTS = { model_calls: 3, tool_calls: 1, recorded_answers: 0, recorded_results: 2 };

export const METRICS: CaseMetrics = {
  pass_rate: 1,
  cost_microcents: 1_234_500,
  tokens: 478,
  steps: 3,
  tool_calls: 2,
  latency_ms: 1_500,
};

export function trialOf(checks: readonly CheckResult[], more: Partial<TrialResult> = {}): TrialResult {
  return { verdict: "passed", checks, notes: [], counts: COUNTS, ...more };
}

export function resultOf(id: string, more: Partial<CaseResult> = {}): CaseResult {
  return {
    ...{ id, agent_id: "shop", run_id: "r1", verdict: "passed", metrics: METRICS },
    trials: [trialOf([{ name: "tools", verdict: "passed", message: "" }])],
    ...more,
  };
}

export function experimentOf(cases: readonly CaseResult[], more: Partial<Experiment> = {}): Experiment {
  const count = (verdict: string): number => cases.filter((each) => each.verdict === verdict).length;
  return {
    ...{ format: "reprise-experiment/1", id: "e1", mode: "rerun", trials: 1, started_at: 0, duration_ms: 2_000 },
    ...{ verdict: "failed", counts: COUNTS, missing: [], cases },
    totals: { passed: count("passed"), warned: count("warned"), failed: count("failed") },
    ...more,
  };
}
