import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { ModelProvider } from "@reprise/contracts";
import type { Agent } from "@reprise/runtime";
import { type ConfigPorts, readConfig } from "@reprise/server/config";
import type { Json } from "@reprise/state";
import { isWorkflowProgram } from "@reprise/workflow";
import { demoProvider } from "../demo/demo-model.ts";
import { usageFailure } from "../output/failure.ts";
import { SCRIPTED } from "./create-provider.ts";

/** Where workflows are named, and what their secrets are. */
export interface WorkflowSource {
  readonly document: Json;
  /** The configuration's file, when it is from one. */
  readonly file?: string | undefined;
  readonly secret: (name: string) => string | undefined;
  /** How long a word of the demonstration's models takes. */
  readonly wordMs: number;
}

/** Adds the workflows of the files that the configuration names, and the program that runs workflows where there are some. */
export async function withWorkflows(ports: ConfigPorts, source: WorkflowSource): Promise<ConfigPorts> {
  const { document, file, secret, wordMs } = source;
  const folder = file === undefined ? process.cwd() : dirname(file);
  const read = await readWorkflowFiles(namedIn(document), folder);
  const agents = [...(ports.agents ?? []), ...read];
  if (!agents.some(isWorkflow)) return { ...ports, agents };
  const completed = { ...ports, agents, providers: withScripted(ports.providers ?? [], agents, wordMs) };
  if (ports.programs?.some(({ kind }) => kind === "workflow")) return completed;
  const { nodeWorkflows } = await import("reprise/workflow");
  return { ...completed, programs: [...(ports.programs ?? []), nodeWorkflows({ secret })] };
}

/** A workflow whose agents name the provider `scripted` runs without a key: with the models of the demonstration. */
function withScripted(
  providers: readonly ModelProvider[],
  agents: readonly Agent[],
  wordMs: number,
): readonly ModelProvider[] {
  const isNamed = agents.some(({ spec: { program } }) => {
    return (
      isWorkflowProgram(program) && program.definition.workflow.agents?.some(({ provider }) => provider === SCRIPTED)
    );
  });
  if (!isNamed || providers.some(({ id }) => id === SCRIPTED)) return providers;
  return [...providers, demoProvider(SCRIPTED, { wordMs })];
}

/** Reads the workflows of files, folders and patterns. Files without `workflow` are agents of the others. */
export async function readWorkflowFiles(names: readonly string[], folder: string): Promise<readonly Agent[]> {
  const files = [...new Set(names.flatMap((name) => filesOf(name, folder)))];
  if (files.length === 0) return [];
  const { readWorkflowAgent, workflow } = await import("reprise/workflow");
  const texts = files.map((file) => ({ file, text: readFileSync(file, "utf8") }));
  const documents = texts.filter(({ text }) => /^workflow:/m.test(text) || text.includes('"workflow"'));
  const agents = texts
    .filter((each) => !documents.includes(each))
    .map(({ file, text }) => readWorkflowAgent(text, { file: relative(process.cwd(), file) }));
  return documents.map(({ file }) => workflow(file, { agents }));
}

function filesOf(name: string, folder: string): readonly string[] {
  const path = resolve(folder, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return [path];
  const pattern = found?.isDirectory() ? join(path, "*.{yaml,yml,json}") : path;
  const files = globSync(pattern).toSorted();
  if (files.length === 0) throw usageFailure(`There is no workflow at ${name}.`, "Name files, folders, or a pattern.");
  return files;
}

/** The files that a configuration names, which may be anything. */
function namedIn(document: Json): readonly string[] {
  try {
    return readConfig(document).workflows ?? [];
  } catch {
    // The check of the whole configuration says what is wrong.
    return [];
  }
}

function isWorkflow({ spec }: Agent): boolean {
  return isWorkflowProgram(spec.program);
}
