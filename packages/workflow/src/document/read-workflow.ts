import { isPlainObject, type Shape } from "@reprise/contracts/shape";
import type { JsonObject } from "@reprise/state";
import { type DocumentRules, findDocumentProblems } from "./check-document.ts";
import { findLiteralSecrets } from "./check-secrets.ts";
import { parseSource, type Source, type SourceFormat } from "./parse-source.ts";
import type { WorkflowAgent, WorkflowDocument } from "./workflow-document.ts";
import {
  locateProblem,
  type RuleProblem,
  sortProblems,
  type WorkflowProblem,
  workflowInvalid,
} from "./workflow-problem.ts";
import { agentShape, documentShape } from "./workflow-shape.ts";

export interface ReadWorkflowOptions extends DocumentRules {
  /** The name of the file, for messages. */
  readonly file?: string;
  /** `yaml` unless given, and unless the file ends in `.json`. */
  readonly format?: SourceFormat;
  /** Agents of files of their own. Those that nodes name become part of the document, and so of its hash. */
  readonly agents?: readonly WorkflowAgent[];
}

/** A document with everything that is wrong with it. */
export interface ParsedWorkflow {
  /** Absent when there are problems. */
  readonly document?: WorkflowDocument;
  readonly problems: readonly WorkflowProblem[];
  /** For problems that are found later, as those of the graph. */
  readonly source?: Source;
}

/** Reads a workflow. Throws `WORKFLOW_INVALID` with every problem, each with its line, column and path. */
export function readWorkflow(text: string, options: ReadWorkflowOptions = {}): WorkflowDocument {
  const { document, problems } = parseWorkflow(text, options);
  if (document === undefined) throw workflowInvalid(problems, "WORKFLOW_INVALID", options.file);
  return document;
}

/** Reads an agent from a file of its own. Throws `WORKFLOW_INVALID` with every problem. */
export function readWorkflowAgent(
  text: string,
  options: Pick<ReadWorkflowOptions, "file" | "format"> = {},
): WorkflowAgent {
  const { value, problems } = parseShaped<WorkflowAgent>(text, agentShape, options, (given) =>
    isPlainObject(given) && typeof given.system_prompt === "string"
      ? findLiteralSecrets(given.system_prompt, ["system_prompt"])
      : [],
  );
  if (value === undefined) throw workflowInvalid(problems, "WORKFLOW_INVALID", options.file ?? "The agent");
  return value;
}

/** The same as `readWorkflow` with the problems as a value. */
export function parseWorkflow(text: string, options: ReadWorkflowOptions = {}): ParsedWorkflow {
  const { agents = [] } = options;
  const { value, problems, source } = parseShaped<WorkflowDocument>(text, documentShape, options, (given, found) =>
    findDocumentProblems(withAgents(given, agents), found, options),
  );
  return {
    problems,
    source,
    // Its shape was checked, and an object stays one.
    ...(value !== undefined && { document: withAgents(value, agents) as WorkflowDocument }),
  };
}

/** Checks a document that is already JSON, as from a store or an HTTP request. */
export function checkWorkflowDocument(
  value: unknown,
  options: Omit<ReadWorkflowOptions, "format"> = {},
): WorkflowDocument {
  const { agents = [] } = options;
  const shape = toRuleProblems(documentShape, value);
  const found = [...shape, ...findDocumentProblems(withAgents(value, agents), shape, options)];
  if (found.length > 0)
    throw workflowInvalid(
      found.map((problem) => locateProblem(problem)),
      "WORKFLOW_INVALID",
      options.file,
    );
  return withAgents(value, agents) as WorkflowDocument;
}

interface Shaped<Value> {
  readonly value?: Value;
  readonly problems: readonly WorkflowProblem[];
  readonly source: Source;
}

function parseShaped<Value>(
  text: string,
  shape: Shape<Value>,
  { file, format }: Pick<ReadWorkflowOptions, "file" | "format">,
  findMore: (value: unknown, found: readonly RuleProblem[]) => readonly RuleProblem[],
): Shaped<Value> {
  const source = parseSource(text, format ?? (file?.endsWith(".json") ? "json" : "yaml"));
  if (source.value === undefined)
    return { source, problems: source.problems.map((problem) => atSource(problem, file)) };
  const shapeProblems = toRuleProblems(shape, source.value);
  const found = [...shapeProblems, ...findMore(source.value, shapeProblems)];
  const problems = sortProblems(found.map((problem) => locateProblem(problem, source, file)));
  // The shape has no problems, so the value has its type.
  return { source, problems, ...(problems.length === 0 && { value: source.value as Value }) };
}

function toRuleProblems(shape: Shape<unknown>, value: unknown): readonly RuleProblem[] {
  return shape.problems(value, []).map(({ path, says, found }) => ({
    kind: "shape",
    path,
    says: path.length === 0 ? `The document${says}` : says,
    ...(found !== undefined && { found }),
  }));
}

function atSource(
  { path, message, line, column }: Source["problems"][number],
  file: string | undefined,
): WorkflowProblem {
  return {
    kind: "syntax",
    path: path.join("."),
    message,
    ...(line !== undefined && column !== undefined && { line, column }),
    ...(file !== undefined && { file }),
  };
}

/** Puts the agents of files that nodes name behind those of the document. A document's own agent comes first. */
function withAgents(value: unknown, agents: readonly WorkflowAgent[]): unknown {
  if (agents.length === 0 || typeof value !== "object" || value === null || !("workflow" in value)) return value;
  const workflow = value.workflow as JsonObject | null;
  const own = workflow?.agents ?? [];
  if (typeof workflow !== "object" || workflow === null || !Array.isArray(own)) return value;
  const text = JSON.stringify(workflow.nodes ?? []);
  const known = new Set(
    own.map((agent) => (typeof agent === "object" && agent !== null && "id" in agent ? agent.id : undefined)),
  );
  const used = agents.filter(({ id }) => !known.has(id) && text.includes(`"agent_ref":${JSON.stringify(id)}`));
  return used.length === 0 ? value : { ...value, workflow: { ...workflow, agents: [...own, ...used] } };
}
