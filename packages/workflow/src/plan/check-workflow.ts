import type { ShapePath } from "@reprise/contracts/shape";
import { nodesOf, textsOfNode } from "../document/node-texts.ts";
import { parseWorkflow, type ReadWorkflowOptions } from "../document/read-workflow.ts";
import type { NodeGraph, Workflow, WorkflowDocument } from "../document/workflow-document.ts";
import { locateProblem, type RuleProblem, sortProblems, type WorkflowProblem } from "../document/workflow-problem.ts";
import { findGraphProblems } from "./compile-plan.ts";

export interface CheckWorkflowOptions extends ReadWorkflowOptions {
  /** Why an expression cannot be evaluated: `findSyntaxProblem` of a sandbox. Without it expressions are not parsed. */
  readonly findSyntaxProblem?: (expression: string) => Promise<string | undefined>;
  /** Why a schedule never fires: `findScheduleProblem` of `@reprise/server`. Without it schedules are not looked into. */
  readonly findScheduleProblem?: (cron: string, timezone?: string) => string | undefined;
}

export interface CheckedWorkflow {
  /** Absent when there are problems. */
  readonly document?: WorkflowDocument;
  readonly problems: readonly WorkflowProblem[];
}

/** Reads a document, orders its graph and parses its expressions, and lists everything that is wrong. Never throws. */
export async function checkWorkflow(text: string, options: CheckWorkflowOptions = {}): Promise<CheckedWorkflow> {
  const { document, problems, source } = parseWorkflow(text, options);
  if (document === undefined) return { problems };
  const { findSyntaxProblem } = options;
  const found: RuleProblem[] = [...findGraphProblems(document.workflow)];
  if (findSyntaxProblem !== undefined) {
    for (const { expression, path } of expressionsOf(document.workflow)) {
      const problem = await findSyntaxProblem(expression);
      if (problem !== undefined) found.push({ kind: "expression", path, says: `: ${problem.replace(/\.$/, "")}` });
    }
  }
  const { trigger } = document.workflow;
  if (trigger?.type === "schedule") {
    const problem = options.findScheduleProblem?.(trigger.cron, trigger.timezone);
    if (problem !== undefined)
      found.push({ kind: "rule", path: ["workflow", "trigger"], says: `: ${problem.replace(/\.$/, "")}` });
  }
  if (found.length === 0) return { document, problems };
  return { problems: sortProblems(found.map((problem) => locateProblem(problem, source, options.file))) };
}

interface ExpressionAt {
  readonly expression: string;
  readonly path: ShapePath;
}

/** Every expression of a workflow, and where it stands. */
function expressionsOf(workflow: Workflow): readonly ExpressionAt[] {
  const ofEdges = ({ edges = [] }: Pick<NodeGraph, "edges">, path: ShapePath): readonly ExpressionAt[] =>
    edges.flatMap(({ condition }, index) =>
      condition === undefined ? [] : [{ expression: condition, path: [...path, "edges", index, "condition"] }],
    );
  const ofNodes = nodesOf(workflow).flatMap(({ node, path }) => [
    ...textsOfNode(node).flatMap((text) =>
      text.kind === "expression" ? [{ expression: text.text, path: [...path, ...text.path] }] : [],
    ),
    ...("body" in node ? ofEdges(node.body, [...path, "body"]) : []),
  ]);
  return [...ofNodes, ...ofEdges(workflow, ["workflow"])];
}
