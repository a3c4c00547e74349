import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type EvalCase, type SaveCaseOptions, saveCase } from "@reprise/evals";
import { CASE_SUFFIX, writeJsonFile } from "@reprise/evals/files";
import { createNodeEnv } from "@reprise/node";
import { type RunRecording, readRecording } from "@reprise/runtime";
import { parseJson } from "@reprise/state";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { usageFailure } from "../output/failure.ts";
import { wholeNumber } from "../settings/read-values.ts";
import { type CommandInput, textOption } from "./command.ts";
import { readExport } from "./replay.ts";
import { withApp } from "./with-app.ts";

/** Saves a run of the store, or an exported one, as a case. */
export async function saveRunAsCase(input: CommandInput): Promise<ExitCode> {
  const [run = "", named] = input.arguments;
  const upToStep = wholeNumber("--up-to-step", textOption(input, "upToStep"));
  const description = textOption(input, "description");
  const recording = await load(input, run);
  if (named?.endsWith(CASE_SUFFIX) === false) throw usageFailure(`The name of the file must end in ${CASE_SUFFIX}.`);
  const id = textOption(input, "id") ?? (named === undefined ? undefined : basename(named, CASE_SUFFIX));
  const options: SaveCaseOptions = {
    ...(id !== undefined && { id }),
    env: createNodeEnv(),
    redact: { texts: listOption(input, "redact"), fields: listOption(input, "redactFields") },
    ...(description !== undefined && { description }),
    ...(upToStep !== undefined && { upToStep }),
  };
  const evalCase = await saveCase(recording, options);
  const file = named ?? join("evals", `${evalCase.id}${CASE_SUFFIX}`);
  if (existsSync(file) && input.options.force !== true)
    throw usageFailure(`There is a file ${file} already.`, "Choose another --id, or replace it with --force.");
  await writeJsonFile(file, evalCase);
  const { recording: _recording, ...head } = evalCase;
  input.output.answer({ file, case: head }, () => describe(file, evalCase));
  return EXIT_CODES.ok;
}

function load(input: CommandInput, run: string): Promise<RunRecording> {
  if (run.endsWith(".json")) return Promise.resolve(readRecording(parseJson(readExport(run))));
  return withApp(input, ({ runtime }) => runtime.exportRun(run));
}

function listOption({ options }: CommandInput, name: string): readonly string[] {
  const value = options[name];
  if (typeof value === "string") return [value];
  return typeof value === "object" ? value : [];
}

function describe(file: string, { source, redaction, expect }: EvalCase): string {
  const replaced = Object.entries(redaction.replaced).map(([rule, count]) => `${count} ${rule}`);
  return [
    `Saved ${file}: ${source.steps} steps, ${expect.tools?.calls.length ?? 0} tool calls.`,
    `Taken out: ${replaced.length === 0 ? "nothing" : replaced.join(", ")}. Read the file before you commit it.`,
    ...(redaction.unverifiable === undefined ? [] : [`It cannot be verified: ${redaction.unverifiable}.`]),
  ].join("\n");
}
