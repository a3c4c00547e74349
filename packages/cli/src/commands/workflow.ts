import { readFileSync } from "node:fs";
import { RepriseError } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import { findScheduleProblem } from "@reprise/server";
import {
  type CheckedWorkflow,
  checkWorkflow,
  compilePlan,
  drawPlan,
  formatProblem,
  hashWorkflow,
  readWorkflowAgent,
  type WorkflowAgent,
  type WorkflowProblem,
  workflowSchema,
} from "@reprise/workflow";
import { createExpressionSandbox } from "@reprise/workflow/quickjs";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { CommandFailure, usageFailure } from "../output/failure.ts";
import { oneOf } from "../settings/read-values.ts";
import { type CommandInput, textOption } from "./command.ts";

/** A file of the command line. */
interface GivenFile {
  readonly name: string;
  readonly text: string;
  readonly isWorkflow: boolean;
}

/** Checks documents, all of them, and lists every problem on a line of its own. */
export async function validateWorkflows({ arguments: names, output }: CommandInput): Promise<ExitCode> {
  const files = names.flatMap((name) => (name === undefined ? [] : [readGiven(name)]));
  const { agents, problems } = readAgents(files.filter(({ isWorkflow }) => !isWorkflow));
  const found: WorkflowProblem[] = [...problems];
  for (const file of files.filter(({ isWorkflow }) => isWorkflow))
    found.push(...(await checkFile(file, agents)).problems);
  if (output.isJson)
    output.answer({ ok: found.length === 0, files: files.map(({ name }) => name), problems: found }, () => "");
  else if (found.length > 0) output.answer(found, () => found.map(formatProblem).join("\n"));
  else output.answer(null, () => files.map(({ name }) => `${name} is in order.`).join("\n"));
  return found.length === 0 ? EXIT_CODES.ok : EXIT_CODES.misused;
}

/** Draws the plan of a document. */
export async function drawWorkflow(input: CommandInput): Promise<ExitCode> {
  const {
    arguments: [name = ""],
    output,
  } = input;
  const format = oneOf("--format", textOption(input, "format") ?? "mermaid", ["mermaid", "json"]);
  const { document, problems } = await checkFile(readGiven(name), []);
  if (document === undefined) {
    throw new CommandFailure(`${name} has problems:`, {
      exitCode: EXIT_CODES.misused,
      code: "WORKFLOW_INVALID",
      problems: problems.map((problem) => ({ path: "", message: formatProblem(problem) })),
    });
  }
  const plan = compilePlan(document.workflow);
  const { hash } = createNodeEnv();
  const shown = { hash: hashWorkflow(document, hash), vertices: plan.vertices };
  const drawn = format === "json" ? JSON.stringify(shown, null, 2) : drawPlan(plan);
  output.answer(format === "json" ? shown : { mermaid: drawn }, () => drawn);
  return EXIT_CODES.ok;
}

export async function printWorkflowSchema({ output }: CommandInput): Promise<ExitCode> {
  const schema = workflowSchema();
  output.answer(schema, () => JSON.stringify(schema, null, 2));
  return EXIT_CODES.ok;
}

function readGiven(name: string): GivenFile {
  try {
    const text = readFileSync(name, "utf8");
    return { name, text, isWorkflow: /^workflow:/m.test(text) || text.includes('"workflow"') };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw usageFailure(isMissing ? `There is no file ${name}.` : `Cannot read ${name}: ${String(error)}`);
  }
}

/** Reads the agent files. Their problems stand beside those of the documents. */
function readAgents(files: readonly GivenFile[]): {
  readonly agents: readonly WorkflowAgent[];
  readonly problems: readonly WorkflowProblem[];
} {
  const agents: WorkflowAgent[] = [];
  const problems: WorkflowProblem[] = [];
  for (const { name, text } of files) {
    try {
      agents.push(readWorkflowAgent(text, { file: name }));
    } catch (error) {
      if (!RepriseError.is(error, "WORKFLOW_INVALID")) throw error;
      // The reader lists them so.
      problems.push(...(error.details.problems as readonly WorkflowProblem[]));
    }
  }
  return { agents, problems };
}

/** Checks a document, its graph and the syntax of its expressions. */
function checkFile({ name, text }: GivenFile, agents: readonly WorkflowAgent[]): Promise<CheckedWorkflow> {
  const { findSyntaxProblem } = createExpressionSandbox({ clock: createNodeEnv().clock });
  return checkWorkflow(text, { file: name, agents, findSyntaxProblem, findScheduleProblem });
}
