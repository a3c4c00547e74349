import { RepriseError } from "@reprise/contracts";
import { describeProblem, type ShapePath, type ShapeProblem } from "@reprise/contracts/shape";
import type { Position, Source } from "./parse-source.ts";

/**
 * What kind of mistake it is: `syntax` of the file, `shape` of the document, a broken `rule`, a `template` that cannot be resolved, a `secret`
 * where none may be, or one of the graph.
 */
export type WorkflowProblemKind =
  | "syntax"
  | "shape"
  | "rule"
  | "template"
  | "expression"
  | "secret"
  | "cycle"
  | "unknown_edge_target"
  | "invalid_handle"
  | "plain_condition_edge"
  | "dangling_ref";

/** One mistake of a document. */
export interface WorkflowProblem extends Partial<Position> {
  readonly kind: WorkflowProblemKind;
  /** `workflow.nodes[2].agent_ref`; empty for the whole document. */
  readonly path: string;
  /** A sentence. It holds nothing secret. */
  readonly message: string;
  readonly file?: string;
}

/** A mistake before its place in the text was looked up. */
export interface RuleProblem {
  readonly kind: WorkflowProblemKind;
  readonly path: ShapePath;
  /** The end of a sentence that begins with the path, or ` …` as shapes say it. */
  readonly says: string;
  readonly found?: ShapeProblem["found"];
}

/** A problem with its place in the text. */
export function locateProblem(problem: RuleProblem, source?: Source, file?: string): WorkflowProblem {
  const { kind, path } = problem;
  const sentence = describeProblem({
    path,
    says: problem.says,
    ...(problem.found !== undefined && { found: problem.found }),
  });
  return {
    kind,
    path: describeProblem({ path, says: "" }),
    message: `${sentence}.`,
    ...source?.locate(path),
    ...(file !== undefined && { file }),
  };
}

/** In the order of the text, and then as they were found. */
export function sortProblems(problems: readonly WorkflowProblem[]): readonly WorkflowProblem[] {
  const place = ({ line = 0, column = 0 }: WorkflowProblem): number => line * 1_000_000 + column;
  return problems.toSorted((left, right) => place(left) - place(right));
}

/** `review.yaml:4:7: workflow.nodes[0].id is required.` */
export function formatProblem({ file, line, column, message }: WorkflowProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return place === "" ? message : `${place}: ${message}`;
}

/** The error of a document with problems. The message lists the first ten. */
export function workflowInvalid(
  problems: readonly WorkflowProblem[],
  code: "WORKFLOW_INVALID" | "WORKFLOW_INVALID_GRAPH" = "WORKFLOW_INVALID",
  file?: string,
): RepriseError {
  const what = file ?? "The workflow";
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  const lines = problems.slice(0, 10).map((problem) => `  ${formatProblem(problem)}`);
  const more = problems.length > 10 ? [`  … and ${problems.length - 10} more`] : [];
  return new RepriseError(code, [`${what} has ${count}:`, ...lines, ...more].join("\n"), { details: { problems } });
}
