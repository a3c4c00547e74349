import { findNearest, type ShapePath } from "@reprise/contracts/shape";
import type {
  ConditionNode,
  MergeNode,
  NodeGraph,
  ParallelNode,
  WorkflowEdge,
  WorkflowNode,
} from "../document/workflow-document.ts";
import type { RuleProblem } from "../document/workflow-problem.ts";
import type { PlanDependency } from "./run-plan.ts";

/** That a node comes after another, and why. */
export interface GraphEdge extends PlanDependency {
  readonly to: string;
}

/** The edges of a graph that the author drew or that nodes imply. Those by data come on top. */
export interface GraphEdges {
  readonly edges: readonly GraphEdge[];
  readonly problems: readonly RuleProblem[];
}

/** Collects the authored and routing edges of a graph. */
export function collectEdges(graph: NodeGraph, path: ShapePath): GraphEdges {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const edges: GraphEdge[] = [];
  const problems: RuleProblem[] = [];
  const target = (id: string, at: ShapePath): boolean => {
    if (nodes.has(id)) return true;
    const nearest = findNearest(id, [...nodes.keys()]);
    const hint = nearest === undefined ? "" : `; the nearest is ${nearest}`;
    problems.push({
      kind: "unknown_edge_target",
      path: at,
      says: ` names no node of this graph (${JSON.stringify(id)}${hint})`,
    });
    return false;
  };
  graph.nodes.forEach((node, index) => {
    const here = [...path, "nodes", index];
    for (const { to, when, at } of routesOf(node))
      if (target(to, [...here, ...at]))
        edges.push({ on: node.id, to, kind: "routing", ...(when !== undefined && { when }) });
  });
  graph.edges?.forEach((edge, index) => {
    const here = [...path, "edges", index];
    const { from, problem } = readHandle(edge, nodes);
    const isFrom = target(from.id, [...here, "from"]);
    const isTo = target(edge.to, [...here, "to"]);
    if (!isFrom || !isTo) return;
    if (problem !== undefined) problems.push({ ...problem, path: [...here, "from"] });
    else {
      const { condition, label } = edge;
      const kind = from.when === undefined ? "authored" : "routing";
      edges.push({
        on: from.id,
        to: edge.to,
        kind,
        ...(from.when !== undefined && { when: from.when }),
        ...(condition !== undefined && { condition }),
        ...(label !== undefined && { label }),
      });
    }
  });
  const incoming = indexIncoming(edges);
  graph.nodes.forEach((node, index) => {
    if (node.type !== "merge" || node.parallel_of === undefined) return;
    const at = [...path, "nodes", index, "parallel_of"];
    if (!target(node.parallel_of, at)) return;
    const parallel = nodes.get(node.parallel_of);
    if (parallel?.type !== "parallel")
      problems.push({
        kind: "unknown_edge_target",
        path: at,
        says: ` must name a parallel node (${node.parallel_of} has the type ${parallel?.type})`,
      });
    else edges.push(...joinBranches(node, parallel, incoming).filter(({ on }) => nodes.has(on)));
  });
  return { edges, problems };
}

interface Route {
  readonly to: string;
  readonly when?: PlanDependency["when"];
  /** Where it stands in the node. */
  readonly at: ShapePath;
}

/** Where a node leads by itself. */
function routesOf(node: WorkflowNode): readonly Route[] {
  if (node.type === "parallel") return node.parallel_of.map((to, index) => ({ to, at: ["parallel_of", index] }));
  if (node.type !== "condition") return [];
  const branches = node.branches.map(({ when, to }, index) => ({ to, when, at: ["branches", index, "to"] }));
  return node.default === undefined ? branches : [...branches, { to: node.default, when: "default", at: ["default"] }];
}

interface Handle {
  readonly from: { readonly id: string; readonly when?: PlanDependency["when"] };
  readonly problem?: Omit<RuleProblem, "path">;
}

/** Reads `node:when`. */
function readHandle({ from }: WorkflowEdge, nodes: ReadonlyMap<string, WorkflowNode>): Handle {
  const colon = from.indexOf(":");
  const id = colon === -1 ? from : from.slice(0, colon);
  const node = nodes.get(id);
  if (colon === -1) {
    if (node?.type !== "condition") return { from: { id } };
    const says = ` must name a branch of the condition ${id}: ${handlesOf(node)
      .map((handle) => `\`${id}:${handle}\``)
      .join(", ")}`;
    return { from: { id }, problem: { kind: "plain_condition_edge", says } };
  }
  const handle = from.slice(colon + 1);
  if (node?.type !== "condition") {
    const says = ` has a handle (${JSON.stringify(handle)}), and ${id} is no condition`;
    return { from: { id }, problem: { kind: "invalid_handle", says } };
  }
  if (handle === "default" && node.default !== undefined) return { from: { id, when: "default" } };
  const branch = node.branches.find(({ when }) => String(when) === handle);
  if (branch !== undefined) return { from: { id, when: branch.when } };
  const says = ` names no branch of ${id} (${JSON.stringify(handle)}; branches: ${handlesOf(node).join(", ")})`;
  return { from: { id }, problem: { kind: "invalid_handle", says } };
}

function handlesOf({ branches, default: fallback }: ConditionNode): readonly string[] {
  return [...branches.map(({ when }) => String(when)), ...(fallback === undefined ? [] : ["default"])];
}

/** A merge joins every branch of its parallel node: a branch without a way to the merge gets an edge from its first node. */
function joinBranches(merge: MergeNode, { id, parallel_of }: ParallelNode, incoming: Incoming): readonly GraphEdge[] {
  const before = ancestorsOf(merge.id, id, incoming);
  return parallel_of
    .filter((head) => head !== merge.id && !before.has(head))
    .map((on) => ({ on, to: merge.id, kind: "routing" as const }));
}

/** The nodes before each node. */
export type Incoming = ReadonlyMap<string, readonly string[]>;

/** Finds the nodes before each node. */
export function indexIncoming(edges: readonly GraphEdge[]): Incoming {
  const incoming = new Map<string, string[]>();
  for (const { on, to } of edges) {
    const known = incoming.get(to);
    if (known === undefined) incoming.set(to, [on]);
    else known.push(on);
  }
  return incoming;
}

/** The nodes from which a way leads to a node, as far back as another one. */
export function ancestorsOf(id: string, until: string, incoming: Incoming): ReadonlySet<string> {
  const found = new Set<string>();
  for (const open = [id]; open.length > 0; ) {
    for (const on of incoming.get(open.pop() ?? "") ?? []) {
      if (on === until || found.has(on)) continue;
      found.add(on);
      open.push(on);
    }
  }
  return found;
}
