import type { ShapePath } from "@reprise/contracts/shape";
import { textsIn } from "../template/template-texts.ts";
import type { NodeGraph, Workflow, WorkflowNode } from "./workflow-document.ts";

/**
 * A text of a node that reads values.
 * - `template`: becomes a text.
 * - `structured`: a template inside of JSON. One that is a single `{{ … }}` becomes its value.
 * - `expression`: JavaScript.
 * - `literal`: sent as it is written; `{{ … }}` in it is not replaced.
 */
export interface NodeText {
  readonly kind: "template" | "structured" | "expression" | "literal";
  /** Relative to the node. */
  readonly path: ShapePath;
  readonly text: string;
  /** Names that only this text knows. */
  readonly locals?: readonly string[];
}

/** Every text of a node that reads values, its body excepted. */
export function textsOfNode(node: WorkflowNode): readonly NodeText[] {
  return [...ownTexts(node), ...some("template", ["concurrency", "key"], node.concurrency?.key)];
}

function ownTexts(node: WorkflowNode): readonly NodeText[] {
  switch (node.type) {
    case "agent":
      return [
        ...some("template", ["prompt_template"], node.prompt_template),
        ...some("literal", ["system_prompt_append"], node.system_prompt_append),
      ];
    case "tool":
      return textsIn(node.arguments, ["arguments"]).map((each) => ({ kind: "structured", ...each }));
    case "subworkflow":
      return textsIn(node.inputs, ["inputs"]).map((each) => ({ kind: "structured", ...each }));
    case "condition":
    case "transform":
      return some("expression", ["expression"], node.expression);
    case "fan_out":
      return some("expression", ["over"], node.over);
    case "loop":
      return some("expression", ["while"], node.while, ["iteration", "last"]);
    case "merge":
      return some("expression", ["merge_fn"], node.merge_fn, ["branches"]);
    case "human_gate":
      return some("template", ["message_template"], node.message_template);
    case "input":
    case "output":
    case "parallel":
    case "wait":
      return [];
    default:
      return node satisfies never;
  }
}

function some(
  kind: NodeText["kind"],
  path: ShapePath,
  text: string | undefined,
  locals?: readonly string[],
): readonly NodeText[] {
  return text === undefined ? [] : [{ kind, path, text, ...(locals !== undefined && { locals }) }];
}

/** A node and the way to it. */
export interface NodeAt {
  readonly node: WorkflowNode;
  readonly path: ShapePath;
  /** Names that its texts know because of the bodies it stands in. */
  readonly locals: readonly string[];
}

/** Every node of a workflow, those of bodies after the node that has the body. */
export function nodesOf(workflow: Workflow): readonly NodeAt[] {
  return nodesIn(workflow, ["workflow"], []);
}

function nodesIn(graph: NodeGraph, path: ShapePath, locals: readonly string[]): readonly NodeAt[] {
  return graph.nodes.flatMap((node, index) => {
    const here = [...path, "nodes", index];
    const own = { node, path: here, locals };
    const body = bodyOf(node);
    if (body === undefined) return [own];
    return [own, ...nodesIn(body, [...here, "body"], [...locals, ...bodyLocals(node)])];
  });
}

/** The graph inside a node. */
export function bodyOf(node: WorkflowNode): NodeGraph | undefined {
  return node.type === "fan_out" || node.type === "loop" ? node.body : undefined;
}

/** The names that texts of a body know. */
export function bodyLocals(node: WorkflowNode): readonly string[] {
  if (node.type === "fan_out") return [node.as ?? "item", "index"];
  return node.type === "loop" ? ["iteration", "last"] : [];
}
