import { invalidRequest } from "@reprise/contracts";
import type { EvalCase } from "../case/eval-case.ts";
import { invalidCase } from "../case/read-case.ts";
import { type Verdict, worstOf } from "../check/check-result.ts";
import type { PlayOptions } from "../play/play-case.ts";
import type { PlayCounts } from "../play/played-world.ts";
import { type Baseline, compareCase, missingCases } from "./baseline.ts";
import { evaluateCase, type JudgeSource } from "./evaluate-case.ts";
import { type CaseResult, EXPERIMENT_FORMAT, type Experiment } from "./experiment.ts";
import type { EvalTelemetry } from "./trace-trial.ts";

export interface ExperimentOptions extends PlayOptions {
  readonly name?: string;
  /** How often each case is played: 1 unless given. */
  readonly trials?: number;
  /** How many cases are played at once: 4 unless given. */
  readonly concurrency?: number;
  readonly baseline?: Baseline;
  /** Sends a span for each trial, with a `gen_ai.evaluation.result` event for each of its checks, through OpenTelemetry. */
  readonly telemetry?: EvalTelemetry;
  readonly judges?: JudgeSource;
  /** Whether the cases are only some of those that there are: then none is missing. */
  readonly isPartial?: boolean;
  /** Hears of each case when it is over. */
  readonly onCase?: (result: CaseResult) => void;
}

/** Evaluates cases. The verdict is the worst of any case; a case of the baseline that is not there any more fails it. */
export async function runExperiment(cases: readonly EvalCase[], options: ExperimentOptions): Promise<Experiment> {
  const { name, mode, agent, env, trials = 1, concurrency = 4, baseline, isPartial = false, onCase } = options;
  if (!Number.isSafeInteger(trials) || trials < 1)
    throw invalidRequest(`The number of trials must be a whole number of at least 1 (got ${trials}).`);
  if (baseline !== undefined && baseline.mode !== mode)
    throw invalidCase(`The baseline is of the mode ${baseline.mode}, and the mode is ${mode}.`);
  assertOneEach(cases);
  const started_at = env.clock.now();
  const began = env.clock.mono();
  const evaluate = async (evalCase: EvalCase): Promise<CaseResult> => {
    const result = await evaluateCase(evalCase, { ...options, trials });
    const compared = baseline === undefined ? result : compareCase(result, baseline);
    onCase?.(compared);
    return compared;
  };
  const results = await inParallel(cases, evaluate, concurrency);
  const missing = baseline === undefined || isPartial ? [] : missingCases(baseline, results);
  const verdicts = results.map(({ verdict }) => verdict);
  return {
    format: EXPERIMENT_FORMAT,
    id: env.ids.uuid(),
    ...(name !== undefined && { name }),
    mode,
    ...(agent !== undefined && { agent }),
    trials,
    started_at,
    duration_ms: Math.round(env.clock.mono() - began),
    verdict: worstOf([...verdicts, ...missing.map((): Verdict => "failed")]),
    totals: {
      passed: verdicts.filter((verdict) => verdict === "passed").length,
      warned: verdicts.filter((verdict) => verdict === "warned").length,
      failed: verdicts.filter((verdict) => verdict === "failed").length,
    },
    counts: addUp(results),
    cases: results,
    missing,
  };
}

function assertOneEach(cases: readonly EvalCase[]): void {
  const seen = new Set<string>();
  for (const { id } of cases) {
    if (seen.has(id)) throw invalidCase(`There are two cases with the id ${id}.`, { id });
    seen.add(id);
  }
}

async function inParallel<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
  limit: number,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const take = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) answers[index] = await work(items[index] as Item);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, take));
  return answers;
}

function addUp(results: readonly CaseResult[]): PlayCounts {
  const counts = results.flatMap(({ trials }) => trials.map((trial) => trial.counts));
  const sum = (key: keyof PlayCounts): number => counts.reduce((total, each) => total + each[key], 0);
  return {
    model_calls: sum("model_calls"),
    tool_calls: sum("tool_calls"),
    recorded_answers: sum("recorded_answers"),
    recorded_results: sum("recorded_results"),
  };
}
