import type { ShapePath } from "@reprise/contracts/shape";
import { looseReferences } from "../template/loose-references.ts";
import { parseTemplate } from "../template/parse-template.ts";
import { formatReference, outputNodeOf, type TemplateReference, wholeSlotOf } from "../template/template.ts";
import { textsIn } from "../template/template-texts.ts";
import { referencesOfText } from "./check-references.ts";
import { type NodeText, nodesOf, textsOfNode } from "./node-texts.ts";
import type { NodeGraph, Workflow } from "./workflow-document.ts";
import type { RuleProblem } from "./workflow-problem.ts";

/** A secret that a name leads to. */
interface Taint {
  readonly input: string;
  /** From the secret to the name: `inputs.token`, `ctx.header`. */
  readonly way: readonly string[];
  /** The name is the secret itself, not a text or an object with the secret in it. */
  readonly isWhole: boolean;
}

/**
 * Finds every use of a secret input where it would become part of a text: prompts, messages, keys, expressions, and arguments that are more
 * than the secret. Follows secrets through the context and through the output of an input node. A secret may be a whole argument of a tool
 * or a whole input of a sub-workflow; there it stays a masked reference until the tool is called.
 */
export function findSecretProblems(workflow: Workflow): readonly RuleProblem[] {
  const secrets = createTaints(workflow);
  const problems: RuleProblem[] = [];
  const check = (text: NodeText, path: ShapePath): void => {
    if (text.kind === "literal") problems.push(...findLiteralSecrets(text.text, path));
    if (secrets === undefined) return;
    if (text.kind === "structured" && isSecretReference(text.text, secrets)) return;
    for (const reference of referencesOfText(text)) {
      const taint = secrets(reference);
      if (taint !== undefined) problems.push({ kind: "secret", path, says: `: ${sayUse(reference, taint)}` });
    }
  };
  for (const { node, path } of nodesOf(workflow)) {
    for (const text of textsOfNode(node)) check(text, [...path, ...text.path]);
    if ("body" in node) checkEdges(node.body, [...path, "body"], check);
  }
  checkEdges(workflow, ["workflow"], check);
  workflow.agents?.forEach(({ system_prompt }, index) => {
    const path = ["workflow", "agents", index, "system_prompt"];
    if (system_prompt !== undefined) check({ kind: "literal", path: [], text: system_prompt }, path);
  });
  const { concurrency } = workflow;
  if (concurrency !== undefined)
    check({ kind: "template", path: [], text: concurrency.key }, ["workflow", "concurrency", "key"]);
  return problems;
}

/** A text that is sent as it is written has no secrets. In other texts `secrets` is a name that is not known. */
export function findLiteralSecrets(text: string, path: ShapePath): readonly RuleProblem[] {
  return looseReferences(text)
    .filter(({ root }) => root === "secrets")
    .map((reference) => ({
      kind: "secret",
      path,
      says: `: ${formatReference(reference)} cannot become part of a text: it is sent as it is written. Make the secret an input of the type \`secret\` and a whole argument of a tool`,
    }));
}

function checkEdges(
  graph: Pick<NodeGraph, "edges">,
  path: ShapePath,
  check: (text: NodeText, path: ShapePath) => void,
): void {
  graph.edges?.forEach(({ condition }, index) => {
    if (condition !== undefined)
      check({ kind: "expression", path: [], text: condition }, [...path, "edges", index, "condition"]);
  });
}

function sayUse(reference: TemplateReference, { input, way }: Taint): string {
  const steps = [...new Set([...way, formatReference(reference)])].join(" → ");
  return `the secret input \`${input}\` cannot become part of a text (${steps} → here). Make it a whole argument of a tool, or a whole input of a sub-workflow`;
}

/** Which secret a reference leads to. Undefined when the workflow has no secrets. */
function createTaints(workflow: Workflow): ((reference: TemplateReference) => Taint | undefined) | undefined {
  const secrets = new Set((workflow.inputs ?? []).flatMap(({ name, type }) => (type === "secret" ? [name] : [])));
  const [first] = secrets;
  if (first === undefined) return undefined;
  const named = (name: string | number | undefined, way: readonly string[], rest: number): Taint | undefined => {
    // Without a name it is the object with all inputs, the secret ones too.
    if (name === undefined) return { input: first, way: [`inputs.${first}`, ...way], isWhole: false };
    if (!secrets.has(String(name))) return undefined;
    return { input: String(name), way: [`inputs.${name}`, ...way], isWhole: rest === 0 };
  };
  const inputNodes = new Set(nodesOf(workflow).flatMap(({ node }) => (node.type === "input" ? [node.id] : [])));
  const ofInputs = ({ segments: [name, ...rest] }: TemplateReference): Taint | undefined =>
    named(name, [], rest.length);
  const context = new Map<string, Taint>();
  for (const [key, value] of Object.entries(workflow.context ?? {})) {
    for (const { path, text } of textsIn(value)) {
      const isWhole = path.length === 0 && wholeReference(text) !== undefined;
      const found = referencesOfText({ kind: "template", text })
        .filter(({ root }) => root === "inputs")
        .map(ofInputs)
        .find((taint) => taint !== undefined);
      if (found !== undefined)
        context.set(key, { ...found, way: [...found.way, `ctx.${key}`], isWhole: isWhole && found.isWhole });
    }
  }
  return (reference) => {
    const { root, segments } = reference;
    if (root === "inputs") return ofInputs(reference);
    if (root === "ctx") {
      const [key, ...rest] = segments;
      if (key === undefined) return [...context.values()][0];
      const taint = context.get(String(key));
      return taint === undefined || rest.length === 0 ? taint : { ...taint, isWhole: false };
    }
    const node = outputNodeOf(reference);
    const [someInput] = inputNodes;
    const isAll = root === "run" && (segments.length === 0 || (segments.length === 1 && segments[0] === "outputs"));
    // All outputs at once, those of input nodes too.
    if (isAll && someInput !== undefined) return named(undefined, [`run.outputs.${someInput}`], 0);
    if (node === undefined || !inputNodes.has(node)) return undefined;
    const [, , name, ...rest] = segments;
    return named(name, [`run.outputs.${node}`], rest.length);
  };
}

/** The reference that a text is, when it is one and nothing else. */
function wholeReference(text: string): TemplateReference | undefined {
  const parsed = parseTemplate(text);
  const slot = "template" in parsed ? wholeSlotOf(parsed.template) : undefined;
  return slot !== undefined && slot.filters.length === 0 && "root" in slot.value ? slot.value : undefined;
}

function isSecretReference(text: string, secrets: (reference: TemplateReference) => Taint | undefined): boolean {
  const reference = wholeReference(text);
  return reference !== undefined && secrets(reference)?.isWhole === true;
}

/** A secret input that stands in authored arguments, and where. */
export interface SecretPosition {
  readonly path: ShapePath;
  readonly input: string;
}

/**
 * The places of secrets in authored arguments. Read from the document, never from values: a model or a tool that answers with something
 * that looks like a masked secret gets none.
 */
export function secretPositions(
  workflow: Workflow,
  authored: NonNullable<Workflow["metadata"]>,
): readonly SecretPosition[] {
  const secrets = createTaints(workflow);
  if (secrets === undefined) return [];
  return textsIn(authored).flatMap(({ path, text }) => {
    const reference = wholeReference(text);
    const taint = reference === undefined ? undefined : secrets(reference);
    return taint?.isWhole === true ? [{ path, input: taint.input }] : [];
  });
}
