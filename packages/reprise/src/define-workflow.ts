import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agent } from "@reprise/runtime";
import {
  checkWorkflowDocument,
  compilePlan,
  defineWorkflow as defineChecked,
  readWorkflow,
  readWorkflowAgent,
  type WorkflowAgent,
  type WorkflowDocument,
} from "@reprise/workflow";

export interface WorkflowOptions {
  /** Agents of files of their own, or their paths: nodes name them by `agent_ref`. */
  readonly agents?: readonly (WorkflowAgent | string | URL)[];
}

/**
 * Makes the workflow of a YAML or JSON file an agent: give it to `createRuntime({ agents })`. Throws with every problem of the document, each with
 * its line and column.
 */
export function workflow(file: string | URL, options: WorkflowOptions = {}): Agent {
  const { text, name } = readText(file);
  return defined(readWorkflow(text, { file: name, agents: (options.agents ?? []).map(readAgent) }));
}

/** The same for a document that is written in code. */
export function defineWorkflow(document: WorkflowDocument, options: WorkflowOptions = {}): Agent {
  return defined(checkWorkflowDocument(document, { agents: (options.agents ?? []).map(readAgent) }));
}

function defined(document: WorkflowDocument): Agent {
  // Throws when the graph cannot be ordered.
  compilePlan(document.workflow);
  return defineChecked(document);
}

function readAgent(agent: WorkflowAgent | string | URL): WorkflowAgent {
  if (typeof agent !== "string" && !(agent instanceof URL)) return agent;
  const { text, name } = readText(agent);
  return readWorkflowAgent(text, { file: name });
}

/** A file with the name it has in messages: as seen from where one is. */
function readText(file: string | URL): { readonly text: string; readonly name: string } {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  return { text: readFileSync(path, "utf8"), name: relative(process.cwd(), path) || path };
}
