import { writeFile } from "node:fs/promises";
import {
  baselineOf,
  type CaseResult,
  describeJudgements,
  describeRegression,
  type Experiment,
  keepExperiment,
  runExperiment,
  type Verdict,
  withJudgements,
  writeJunit,
  writeMarkdown,
} from "@reprise/evals";
import { type LoadedCase, loadBaseline, loadCases, writeJsonFile } from "@reprise/evals/files";
import { createNodeEnv } from "@reprise/node";
import { logOf } from "../compose/create-log.ts";
import { openToKeep } from "../compose/open-app.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { usageFailure } from "../output/failure.ts";
import { table } from "../output/table.ts";
import { oneOf, wholeNumber } from "../settings/read-values.ts";
import { type CommandInput, textOption } from "./command.ts";
import { readDefinitions } from "./replay.ts";
import { withApp } from "./with-app.ts";

const MODES = ["verify", "rescript", "rerun", "live"] as const;
const DEFAULT_FOLDER = "evals";

/** Plays cases and checks them. Nothing is evaluated when a case, the baseline or the command line is wrong. */
export async function runEvaluation(input: CommandInput): Promise<ExitCode> {
  const { settings, output, options } = input;
  const mode = oneOf("--mode", textOption(input, "mode") ?? "rescript", MODES);
  const failOn = oneOf("--fail-on", textOption(input, "failOn") ?? "failed", ["warned", "failed"]);
  const trials = wholeNumber("--trials", textOption(input, "trials")) ?? 1;
  const [agent, name] = [textOption(input, "agent"), textOption(input, "name")];
  const baselineFile = textOption(input, "baseline");
  const isUpdating = options.updateBaseline === true;
  if (isUpdating && baselineFile === undefined) throw usageFailure("--update-baseline needs --baseline <file>.");
  const isJudging = options.judge === true;
  const isRecorded = mode === "verify" || mode === "rescript";
  const live = { reads: readsOf(input), writes: options.allowWrites === true };
  if (live.writes && mode !== "live") throw usageFailure("--allow-writes is only for --mode live.");
  const paths = input.arguments.flatMap((path) => (path === undefined ? [] : [path]));
  const loaded = await loadCases(paths.length === 0 ? [DEFAULT_FOLDER] : paths);
  if (loaded.length === 0) throw usageFailure("There are no cases.", "Save one with: reprise eval save <run>");
  const baseline = baselineFile === undefined || isUpdating ? undefined : await loadBaseline(baselineFile);
  if (baselineFile !== undefined && !isUpdating && baseline === undefined)
    throw usageFailure(`There is no file ${baselineFile}.`, "Make one with --update-baseline.");
  // Judges have models, also where nothing else does.
  const models = isRecorded && !isJudging ? "recorded" : "live";
  const definitions = mode === "verify" && !isJudging ? {} : await readDefinitions(settings, models);
  const experiment = await runExperiment(
    loaded.map(({ evalCase }) => evalCase),
    {
      mode,
      definitions,
      env: createNodeEnv({ log: logOf(settings) }),
      trials,
      live,
      ...(agent !== undefined && { agent }),
      ...(name !== undefined && { name }),
      ...(baseline !== undefined && { baseline }),
      ...(isJudging && { judges: "live" }),
      // Whoever names files wants those; folders are meant to hold every case of the baseline.
      isPartial: loaded.some(({ file }) => paths.includes(file)),
      onCase: ({ id, verdict }) => output.progress(`${id}: ${verdict}`),
    },
  );
  if (isUpdating && baselineFile !== undefined) {
    const before = await loadBaseline(baselineFile);
    await writeJsonFile(baselineFile, baselineOf(experiment, before?.tolerance));
  }
  if (isJudging && isRecorded) await writeJudgements(loaded, experiment);
  await writeReports(input, experiment);
  if (options.keep === true) {
    await withApp(input, ({ runtime }) => keepExperiment(runtime.documents, experiment), openToKeep);
  }
  output.answer(experiment, () => describe(experiment));
  return isAtLeast(experiment.verdict, failOn) ? EXIT_CODES.failed : EXIT_CODES.ok;
}

/** What judges say about a recorded run goes into its case: from then on nobody has to be asked. */
async function writeJudgements(loaded: readonly LoadedCase[], { cases }: Experiment): Promise<void> {
  for (const { file, evalCase } of loaded) {
    const result = cases.find(({ id }) => id === evalCase.id);
    const isJudged = result?.trials[0]?.judgements !== undefined;
    if (result !== undefined && isJudged) await writeJsonFile(file, withJudgements(evalCase, result));
  }
}

/** Without ids all reading tools may be called. */
function readsOf({ options }: CommandInput): boolean | readonly string[] {
  const { allowReads } = options;
  if (typeof allowReads !== "string") return allowReads === true;
  return allowReads
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}

async function writeReports(input: CommandInput, experiment: Experiment): Promise<void> {
  const [junit, markdown] = [textOption(input, "junit"), textOption(input, "markdown")];
  if (junit !== undefined) await writeFile(junit, writeJunit(experiment));
  if (markdown !== undefined) await writeFile(markdown, writeMarkdown(experiment));
}

function isAtLeast(verdict: Verdict, limit: "warned" | "failed"): boolean {
  return verdict === "failed" || verdict === limit;
}

function describe({ mode, cases, missing, totals, counts, verdict }: Experiment): string {
  const rows = cases.map(({ id, verdict: own, metrics }) => [
    own,
    id,
    `${Math.round(metrics.pass_rate * 100)} %`,
    String(metrics.steps),
    String(metrics.tool_calls),
    String(metrics.tokens),
  ]);
  const judged = cases.flatMap((each) => describeJudgements(each).map((line) => `${each.id}: ${line}`));
  const absent = missing.map((id) => ["missing", id, "", "", "", ""]);
  return [
    table(["verdict", "case", "pass rate", "steps", "calls", "tokens"], [...rows, ...absent]),
    ...cases.flatMap(problemsOf),
    ...(judged.length === 0 ? [] : ["", ...judged]),
    "",
    `${verdict}: ${totals.passed} passed, ${totals.warned} warned, ${totals.failed} failed, ${missing.length} missing`,
    `mode ${mode}: ${counts.model_calls} model calls and ${counts.tool_calls} tool calls were made`,
  ].join("\n");
}

function problemsOf({ id, trials, regressions = [] }: CaseResult): readonly string[] {
  const found = trials.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict !== "passed"));
  const said = new Set(found.map(({ name, verdict, message }) => `  ${verdict}: ${name}: ${message}`));
  for (const regression of regressions) said.add(`  ${regression.verdict}: ${describeRegression(regression)}`);
  return said.size === 0 ? [] : ["", id, ...said];
}
