import { withEnvironment } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import type { Definitions } from "@reprise/runtime";
import type { EvalCase } from "../case/eval-case.ts";
import { invalidCase } from "../case/read-case.ts";
import type { CaseResult, RunSummary } from "../evaluate/experiment.ts";
import { type ExperimentOptions, runExperiment } from "../evaluate/run-experiment.ts";
import { loadCases } from "../files/case-files.ts";

/** How a case is played, beside the agents. */
type Playing = Omit<ExperimentOptions, "definitions" | "concurrency" | "name" | "isPartial" | "onCase">;

/** Today's agents with what they need, and how the case is played. */
export interface EvalRunOptions extends Definitions, Partial<Playing> {}

/** What playing a case in a test came to. */
export interface EvaluatedRun extends CaseResult {
  /** The run of the last trial; undefined when the case could not be played. */
  readonly run: RunSummary | undefined;
}

/** Plays a case, or the file of one, in a test: by `rescript` unless told otherwise, with the models that the environment has keys for. */
export async function evalRun(given: string | EvalCase, options: EvalRunOptions): Promise<EvaluatedRun> {
  const {
    mode = "rescript",
    env = createNodeEnv(),
    trials,
    agent,
    live,
    limits,
    approves,
    signal,
    baseline,
    judges,
    telemetry,
    ...definitions
  } = options;
  const evalCase = typeof given === "string" ? await loadCase(given) : given;
  const { cases } = await runExperiment([evalCase], {
    mode,
    env,
    definitions: { ...definitions, ...withEnvironment(definitions) },
    isPartial: true,
    ...(trials !== undefined && { trials }),
    ...(agent !== undefined && { agent }),
    ...(live !== undefined && { live }),
    ...(limits !== undefined && { limits }),
    ...(approves !== undefined && { approves }),
    ...(signal !== undefined && { signal }),
    ...(baseline !== undefined && { baseline }),
    ...(judges !== undefined && { judges }),
    ...(telemetry !== undefined && { telemetry }),
  });
  const [result] = cases;
  if (result === undefined) throw invalidCase(`Case ${evalCase.id} was not played.`);
  return { ...result, run: result.trials.at(-1)?.run };
}

async function loadCase(file: string): Promise<EvalCase> {
  const [loaded, other] = await loadCases([file]);
  if (loaded === undefined || other !== undefined) throw invalidCase(`${file} must be one case.`, { file });
  return loaded.evalCase;
}
