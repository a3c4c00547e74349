import { existsSync, readFileSync } from "node:fs";
import type { Runtime } from "@reprise/runtime";
import { type Json, type JsonObject, parseJson } from "@reprise/state";
import { isWorkflowProgram, readInputs, type Workflow } from "@reprise/workflow";
import { openSetup } from "../compose/open-app.ts";
import { readWholeSetup } from "../compose/read-setup.ts";
import { readWorkflowFiles } from "../compose/read-workflows.ts";
import type { ExitCode } from "../output/exit-code.ts";
import { usageFailure } from "../output/failure.ts";
import { readMilliseconds } from "../settings/read-milliseconds.ts";
import { seeThrough } from "../talk/conversation.ts";
import { createLinePrompter } from "../talk/line-prompter.ts";
import { createTerminalPrompter } from "../talk/terminal-prompter.ts";
import { type CommandInput, textOption } from "./command.ts";

/** Runs a workflow of a file or of the configuration. People are asked at gates; programs are told what waits. */
export async function runWorkflow(input: CommandInput): Promise<ExitCode> {
  const { settings, output } = input;
  const [named = ""] = input.arguments;
  const isFile = existsSync(named);
  const [own] = isFile ? await readWorkflowFiles([named], process.cwd()) : [];
  if (isFile && own === undefined) throw usageFailure(`${named} has no workflow.`);
  const setup = await readWholeSetup(settings, own === undefined ? [] : [own]);
  const app = await openSetup(setup, (problem) => output.warn(problem), {
    closeTimeoutMs: readMilliseconds(settings, "drainMs"),
  });
  const isPerson = output.isPerson && process.stdout.isTTY === true;
  const prompter = isPerson ? createTerminalPrompter() : createLinePrompter(process.stdin, (text) => output.note(text));
  try {
    const id = own?.id ?? named;
    const workflow = findWorkflow(app.runtime, id);
    const inputs = readGiven(workflow, listOf(input.options.input));
    // Refused before anything is started, with every problem.
    readInputs(workflow, inputs);
    const threadId = textOption(input, "thread");
    const message = JSON.stringify({ inputs });
    const run = await app.runtime.start({ agent: id, input: message, ...(threadId !== undefined && { threadId }) });
    output.note(`Run ${run.id} of ${id}.`);
    return await seeThrough({ runtime: app.runtime, agent: id, threadId: run.threadId, prompter, output }, run);
  } finally {
    prompter.close();
    await app.close();
  }
}

function findWorkflow(runtime: Runtime, id: string): Workflow {
  const found = runtime.agents().find((agent) => agent.id === id)?.program;
  if (isWorkflowProgram(found)) return found.definition.workflow;
  const ids = runtime.agents().flatMap(({ id: known, program }) => (isWorkflowProgram(program) ? [known] : []));
  throw usageFailure(
    `There is no file and no workflow ${JSON.stringify(id)}.`,
    ids.length === 0 ? "Name a file." : `Name a file, or one of ${ids.join(", ")}.`,
  );
}

function listOf(given: CommandInput["options"][string]): readonly string[] {
  return typeof given === "object" ? given : typeof given === "string" ? [given] : [];
}

/** `name=value` pairs as inputs. Texts are taken as they are; everything else is JSON. */
function readGiven({ inputs = [] }: Workflow, pairs: readonly string[]): JsonObject {
  const entries = pairs.map((pair): readonly [string, Json] => {
    const at = pair.indexOf("=");
    if (at <= 0) throw usageFailure(`--input ${pair} must be name=value.`);
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const type = inputs.find((input) => input.name === name)?.type ?? "string";
    const text = value.startsWith("@") && type !== "secret" ? readFileSync(value.slice(1), "utf8") : value;
    return [name, type === "number" || type === "boolean" || type === "json" ? parsed(name, text) : text];
  });
  return Object.fromEntries(entries);
}

function parsed(name: string, text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw usageFailure(`--input ${name} must be JSON (got ${JSON.stringify(text.slice(0, 40))}).`);
  }
}
