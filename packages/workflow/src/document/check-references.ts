import { findNearest, type ShapePath } from "@reprise/contracts/shape";
import { expressionReferences } from "../expression/expression-references.ts";
import { looseReferences } from "../template/loose-references.ts";
import { parseTemplate } from "../template/parse-template.ts";
import { formatReference, referencesOf, type TemplateReference } from "../template/template.ts";
import type { NodeText } from "./node-texts.ts";
import type { RuleProblem } from "./workflow-problem.ts";

/** The names that a text may use. */
export interface KnownNames {
  readonly inputs: readonly string[];
  /** Absent where the context may not be used. */
  readonly context?: readonly string[];
  /** Whether outputs of nodes may be used. */
  readonly hasOutputs: boolean;
  readonly locals: readonly string[];
}

/** The references of a text; none of a template that cannot be parsed, which is a problem by itself. */
export function referencesOfText({ kind, text }: Pick<NodeText, "kind" | "text">): readonly TemplateReference[] {
  if (kind === "expression") return expressionReferences(text);
  if (kind === "literal") return looseReferences(text);
  const parsed = parseTemplate(text);
  return "template" in parsed ? referencesOf(parsed.template) : [];
}

/** What is wrong with the references of a text. Nodes that do not exist are for the run plan to find. */
export function findTextProblems(text: NodeText, path: ShapePath, known: KnownNames): readonly RuleProblem[] {
  if (text.kind === "literal") return [];
  if (text.kind === "expression") {
    return expressionReferences(text.text).flatMap((reference) => {
      // `inputs.hasOwnProperty("a")` names no input.
      const segments = reference.isCalled ? reference.segments.slice(0, -1) : reference.segments;
      return findNameProblem({ ...reference, segments }, path, known, "expression");
    });
  }
  const parsed = parseTemplate(text.text);
  if ("problem" in parsed) return [{ kind: "template", path, says: ` is not a template: ${parsed.problem.message}` }];
  return referencesOf(parsed.template).flatMap((reference) => findNameProblem(reference, path, known, "template"));
}

function findNameProblem(
  reference: TemplateReference,
  path: ShapePath,
  known: KnownNames,
  kind: "template" | "expression",
): readonly RuleProblem[] {
  const problem = sayNameProblem(reference, known);
  return problem === undefined ? [] : [{ kind, path, says: `: ${problem}` }];
}

function sayNameProblem(reference: TemplateReference, known: KnownNames): string | undefined {
  const { root, segments } = reference;
  const [first] = segments;
  const written = formatReference(reference);
  switch (root) {
    case "inputs":
      return first === undefined ? undefined : sayUnknown(`inputs.${first}`, String(first), known.inputs);
    case "ctx":
      if (known.context === undefined) return `${written} cannot be used here: only inputs can`;
      return first === undefined ? undefined : sayUnknown(`ctx.${first}`, String(first), known.context);
    case "run":
      if (!known.hasOutputs) return `${written} cannot be used here: outputs are not known before the nodes have run`;
      if (first === "id") return "run.id can be used in `save_to` only";
      return first === "outputs" || first === undefined ? undefined : `${written} is not known: only run.outputs is`;
    default:
      return known.locals.includes(root) ? undefined : sayUnknown(root, root, [...rootsOf(known), ...known.locals]);
  }
}

function rootsOf({ context, hasOutputs }: KnownNames): readonly string[] {
  return ["inputs", ...(context === undefined ? [] : ["ctx"]), ...(hasOutputs ? ["run"] : [])];
}

function sayUnknown(written: string, name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return undefined;
  const nearest = findNearest(name, names);
  const hint =
    nearest === undefined ? `known: ${names.slice(0, 10).join(", ") || "none"}` : `the nearest is ${nearest}`;
  return `${written} is not known (${hint})`;
}
