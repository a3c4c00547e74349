import { toRepriseError } from "@reprise/contracts";
import type { EvalCase } from "../case/eval-case.ts";
import { type CheckResult, failed, passed, type Verdict, worstOf } from "../check/check-result.ts";
import { checkRun } from "../check/check-run.ts";
import { judgeRun } from "../judge/judge-run.ts";
import type { EvalMode } from "../play/eval-mode.ts";
import { type PlayedRun, type PlayOptions, playCase } from "../play/play-case.ts";
import type { PlayCounts, PlayNote, PlayNoteKind } from "../play/played-world.ts";
import type { CaseMetrics, CaseResult, RunSummary, TrialResult } from "./experiment.ts";
import { type EvalTelemetry, traceTrial } from "./trace-trial.ts";

export interface EvaluateCaseOptions extends PlayOptions {
  readonly trials: number;
  readonly judges?: JudgeSource | undefined;
  readonly telemetry?: EvalTelemetry;
}

/**
 * Where judgements are from. `recorded`, unless models are live: the case has them. `live`: the models of the judges are asked, also where
 * everything else is recorded.
 */
export type JudgeSource = "recorded" | "live";

/** Plays a case as often as asked, and checks every run of it. */
export async function evaluateCase(evalCase: EvalCase, options: EvaluateCaseOptions): Promise<CaseResult> {
  const trials: TrialResult[] = [];
  for (let trial = 0; trial < options.trials; trial += 1) {
    options.signal?.throwIfAborted();
    const play = (): Promise<TrialResult> => evaluateOnce(evalCase, options);
    const { telemetry, mode } = options;
    trials.push(await (telemetry === undefined ? play() : traceTrial(telemetry, { evalCase, mode, trial }, play)));
  }
  const verdict = worstOf(trials.map((trial) => trial.verdict));
  const { id, agent_id, source } = evalCase;
  return { id, agent_id, run_id: source.run_id, verdict, metrics: metricsOf(trials), trials };
}

/** A case that cannot be played has failed, and does not keep the others from being evaluated. */
async function evaluateOnce(evalCase: EvalCase, options: EvaluateCaseOptions): Promise<TrialResult> {
  try {
    const played = await playCase(evalCase, options);
    const isLive = options.mode === "rerun" || options.mode === "live";
    const own = checkPlaying(options.mode, evalCase, played);
    const judged = await judgeRun(evalCase, played.run, {
      definitions: options.definitions,
      env: options.env,
      isLive: (options.judges ?? (isLive ? "live" : "recorded")) === "live",
      ...(options.signal !== undefined && { signal: options.signal }),
    });
    const checks = [...own, ...checkRun(evalCase.expect, played.run, isLive), ...judged.checks];
    return {
      verdict: worstOf(checks.map(({ verdict }) => verdict)),
      checks,
      notes: played.notes,
      counts: { ...played.counts, model_calls: played.counts.model_calls + judged.model_calls },
      ...(judged.judgements.length > 0 && { judgements: judged.judgements }),
      run: summaryOf(played),
      ...(played.hash !== undefined && { hash: played.hash }),
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    const { code, message } = toRepriseError(error);
    return {
      verdict: "failed",
      checks: [failed("played", message)],
      notes: [],
      counts: NO_COUNTS,
      error: { code, message },
    };
  }
}

const NO_COUNTS: PlayCounts = { model_calls: 0, tool_calls: 0, recorded_answers: 0, recorded_results: 0 };

const NOTES: Readonly<Record<EvalMode, Partial<Record<PlayNoteKind, Verdict>>>> = {
  verify: {},
  rescript: {
    refused_call: "failed",
    no_answer: "failed",
    answers_left: "failed",
    unanswered: "failed",
    unrecorded: "warned",
  },
  rerun: { refused_call: "warned", unanswered: "failed" },
  live: { refused_call: "warned", unanswered: "failed" },
};

/** Whether the case could be played as its mode promises. */
function checkPlaying(mode: EvalMode, { redaction }: EvalCase, played: PlayedRun): readonly CheckResult[] {
  if (mode === "verify") return [checkReplay(redaction.unverifiable, played)];
  const results = played.notes.flatMap((note): readonly CheckResult[] => {
    const verdict = NOTES[mode][note.kind];
    return verdict === undefined
      ? []
      : [{ name: `playback ${note.kind}`, verdict, message: note.message, ...actualOf(note) }];
  });
  return results.length > 0 ? results : [passed("playback")];
}

function actualOf({ arguments: given }: PlayNote): Pick<CheckResult, "actual"> {
  return given === undefined ? {} : { actual: given };
}

function checkReplay(unverifiable: string | undefined, { divergence }: PlayedRun): CheckResult {
  if (divergence === undefined) return passed("replay");
  if (unverifiable !== undefined)
    return { name: "replay", verdict: "warned", message: `The case cannot be verified: ${unverifiable}.` };
  return failed("replay", "The recorded run does not come to the same commits.", { actual: divergence });
}

const LONGEST_TEXT = 8_000;

function summaryOf({ run: { state: _state, results: _results, ...run } }: PlayedRun): RunSummary {
  return run.text.length <= LONGEST_TEXT ? run : { ...run, text: `${run.text.slice(0, LONGEST_TEXT).toWellFormed()}…` };
}

function metricsOf(trials: readonly TrialResult[]): CaseMetrics {
  const mean = (measure: (run: RunSummary) => number): number => {
    const values = trials.flatMap(({ run }) => (run === undefined ? [] : [measure(run)]));
    return values.length === 0 ? 0 : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
  };
  return {
    pass_rate: trials.filter(({ verdict }) => verdict !== "failed").length / Math.max(1, trials.length),
    cost_microcents: mean((run) => run.cost_microcents),
    ...(trials.some(({ run }) => run?.is_priced === false) && { is_unpriced: true }),
    tokens: mean((run) => run.input_tokens + run.output_tokens),
    steps: mean((run) => run.steps),
    tool_calls: mean((run) => run.calls.length),
    latency_ms: mean((run) => run.latency_ms),
  };
}
