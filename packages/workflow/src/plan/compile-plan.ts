import { canonicalJson } from "@reprise/contracts";
import { findNearest, type ShapePath } from "@reprise/contracts/shape";
import { referencesOfText } from "../document/check-references.ts";
import { bodyOf, textsOfNode } from "../document/node-texts.ts";
import type {
  NodeGraph,
  Workflow,
  WorkflowAgent,
  WorkflowDocument,
  WorkflowNode,
} from "../document/workflow-document.ts";
import { locateProblem, type RuleProblem, workflowInvalid } from "../document/workflow-problem.ts";
import { formatReference, outputNodeOf } from "../template/template.ts";
import { ancestorsOf, collectEdges, type GraphEdge, type Incoming, indexIncoming } from "./graph-edges.ts";
import { orderVertices } from "./order-vertices.ts";
import type { PlanDependency, PlanVertex, RunPlan } from "./run-plan.ts";

/**
 * Orders a workflow that was read by `readWorkflow`. Throws `WORKFLOW_INVALID_GRAPH` with every problem of the graph.
 * Pure: equal documents have equal plans.
 */
export function compilePlan(workflow: Workflow): RunPlan {
  const { vertices, problems } = compile(workflow);
  if (problems.length > 0)
    throw workflowInvalid(
      problems.map((problem) => locateProblem(problem)),
      "WORKFLOW_INVALID_GRAPH",
    );
  return { workflow, vertices };
}

/** The hash that a run pins: of the whole document, its agents included, whatever the order of its keys. */
export function hashWorkflow(document: WorkflowDocument, hash: (text: string) => string): string {
  return hash(canonicalJson(document));
}

/** Every problem of the graph. */
export function findGraphProblems(workflow: Workflow): readonly RuleProblem[] {
  return compile(workflow).problems;
}

function compile(workflow: Workflow): Compiled {
  const agents = new Map((workflow.agents ?? []).map((agent) => [agent.id, agent]));
  return compileGraph(workflow, ["workflow"], { agents, outer: new Map(), inner: findInner(workflow) });
}

interface Surroundings {
  readonly agents: ReadonlyMap<string, WorkflowAgent>;
  /** The nodes around the graph whose outputs it may read. */
  readonly outer: ReadonlyMap<string, WorkflowNode>;
  /** Which node has the body that a node stands in, for messages. */
  readonly inner: ReadonlyMap<string, string>;
}

interface Compiled {
  readonly vertices: readonly PlanVertex[];
  readonly problems: readonly RuleProblem[];
  /** The nodes around the graph whose outputs it reads. */
  readonly reads: ReadonlySet<string>;
}

function compileGraph(graph: NodeGraph, path: ShapePath, around: Surroundings): Compiled {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const { edges, problems: edgeProblems } = collectEdges(graph, path);
  const problems: RuleProblem[] = [...edgeProblems];
  const reads = new Set<string>();
  const dataEdges: GraphEdge[] = [];
  const bodies = new Map<string, Compiled>();
  const read = (id: string, reader: string, reference: string, at: ShapePath): void => {
    if (nodes.has(id)) dataEdges.push({ on: id, to: reader, kind: "data" });
    else if (around.outer.has(id)) reads.add(id);
    else problems.push({ kind: "dangling_ref", path: at, says: `: ${sayDangling(id, reference, nodes, around)}` });
  };
  graph.nodes.forEach((node, index) => {
    const here = [...path, "nodes", index];
    for (const { id, written, at } of readsOf(node)) read(id, node.id, written, [...here, ...at]);
    const body = bodyOf(node);
    if (body === undefined) return;
    const compiled = compileGraph(body, [...here, "body"], { ...around, outer: new Map([...around.outer, ...nodes]) });
    problems.push(...compiled.problems);
    bodies.set(node.id, compiled);
    // The node with the body waits for what the body reads.
    for (const id of compiled.reads) read(id, node.id, id, here);
  });
  graph.edges?.forEach(({ to, condition }, index) => {
    if (condition === undefined || !nodes.has(to)) return;
    const at = [...path, "edges", index, "condition"];
    for (const { id, written } of outputsIn({ kind: "expression", text: condition })) read(id, to, written, at);
  });
  const all = [...edges, ...dataEdges];
  const { vertices, cycles } = orderGraph(graph, all, around, bodies);
  for (const cycle of cycles) {
    const index = graph.nodes.findIndex(({ id }) => id === cycle[0]);
    problems.push({ kind: "cycle", path: [...path, "nodes", index], says: ` waits for itself: ${cycle.join(" → ")}` });
  }
  return { vertices, problems, reads };
}

interface OutputRead {
  readonly id: string;
  readonly written: string;
}

function outputsIn(text: Parameters<typeof referencesOfText>[0]): readonly OutputRead[] {
  return referencesOfText(text).flatMap((reference) => {
    const id = outputNodeOf(reference);
    return id === undefined ? [] : [{ id, written: formatReference(reference) }];
  });
}

/** The outputs that the texts of a node read, each with its place. */
function readsOf(node: WorkflowNode): readonly (OutputRead & { readonly at: ShapePath })[] {
  return textsOfNode(node).flatMap((text) =>
    text.kind === "literal" ? [] : outputsIn(text).map((each) => ({ ...each, at: text.path })),
  );
}

function sayDangling(
  id: string,
  written: string,
  nodes: ReadonlyMap<string, WorkflowNode>,
  { outer, inner }: Surroundings,
): string {
  const owner = inner.get(id);
  if (owner !== undefined)
    return `${written} cannot be read here: ${id} is in the body of ${owner}. Read the output of ${owner}`;
  const nearest = findNearest(id, [...nodes.keys(), ...outer.keys()]);
  return `${written} names no node${nearest === undefined ? "" : ` (the nearest is ${nearest})`}`;
}

/** Which body each node stands in. */
function findInner(graph: NodeGraph, owner?: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const node of graph.nodes) {
    if (owner !== undefined) found.set(node.id, owner);
    const body = bodyOf(node);
    if (body !== undefined) for (const [id, of] of findInner(body, node.id)) found.set(id, of);
  }
  return found;
}

function orderGraph(
  graph: NodeGraph,
  edges: readonly GraphEdge[],
  around: Surroundings,
  bodies: ReadonlyMap<string, Compiled>,
): { readonly vertices: readonly PlanVertex[]; readonly cycles: readonly (readonly string[])[] } {
  const placeOf = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  const dependencies = collectDependencies(graph, edges, placeOf);
  const positions = dependencies.map((list) => [...new Set(list.map(({ on }) => placeOf.get(on) ?? 0))]);
  const { order, cycles } = orderVertices(positions);
  const dependents: string[][] = graph.nodes.map(() => []);
  for (const vertex of order)
    for (const on of positions[vertex] ?? []) dependents[on]?.push(graph.nodes[vertex]?.id ?? "");
  const vertices = order.flatMap((position): readonly PlanVertex[] => {
    const node = graph.nodes[position];
    if (node === undefined) return [];
    const agent = node.type === "agent" ? around.agents.get(node.agent_ref) : undefined;
    const body = bodies.get(node.id);
    return [
      {
        id: node.id,
        type: node.type,
        node,
        dependencies: dependencies[position] ?? [],
        dependents: dependents[position] ?? [],
        ...(agent !== undefined && { agent }),
        ...(body !== undefined && { body: { vertices: body.vertices } }),
      },
    ];
  });
  return { vertices, cycles: cycles.map((cycle) => cycle.map((position) => graph.nodes[position]?.id ?? "")) };
}

const KINDS: readonly PlanDependency["kind"][] = ["authored", "routing", "data"];

/** What each node depends on, without what is said twice, in an order of its own that no key of the document decides. */
function collectDependencies(
  graph: NodeGraph,
  edges: readonly GraphEdge[],
  placeOf: ReadonlyMap<string, number>,
): readonly (readonly PlanDependency[])[] {
  const lists: GraphEdge[][] = graph.nodes.map(() => []);
  for (const edge of edges) lists[placeOf.get(edge.to) ?? -1]?.push(edge);
  const incoming = indexIncoming(edges.filter(({ kind }) => kind !== "data"));
  return lists.map((list, index) => {
    const node = graph.nodes[index];
    const branchOf = node === undefined ? undefined : branchesOf(node, graph, placeOf, incoming);
    const rank = ({ on, kind, when }: PlanDependency): readonly (number | string)[] => [
      branchOf?.(on) ?? 0,
      placeOf.get(on) ?? 0,
      KINDS.indexOf(kind),
      String(when),
    ];
    return withoutRepeats(list)
      .map(({ to: _, ...dependency }) => dependency)
      .toSorted((left, right) => compare(rank(left), rank(right)));
  });
}

function compare(left: readonly (number | string)[], right: readonly (number | string)[]): number {
  for (const [index, own] of left.entries()) {
    const other = right[index] ?? 0;
    if (own !== other) return own < other ? -1 : 1;
  }
  return 0;
}

/** Keeps an edge once. One by data says nothing beside another; a drawn one without a condition says nothing beside a route without a branch. */
function withoutRepeats(list: readonly GraphEdge[]): readonly GraphEdge[] {
  const strong = new Set(list.flatMap(({ on, kind }) => (kind === "data" ? [] : [on])));
  const routed = new Set(list.flatMap(({ on, kind, when }) => (kind === "routing" && when === undefined ? [on] : [])));
  const seen = new Set<string>();
  return list.filter(({ on, kind, when, condition }) => {
    if (kind === "data" && strong.has(on)) return false;
    if (kind === "authored" && condition === undefined && routed.has(on)) return false;
    const key = JSON.stringify([on, kind, when ?? null, condition ?? null]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Of a merge: which branch of its parallel node another node belongs to. */
function branchesOf(
  node: WorkflowNode,
  graph: NodeGraph,
  placeOf: ReadonlyMap<string, number>,
  incoming: Incoming,
): ((id: string) => number) | undefined {
  if (node.type !== "merge" || node.parallel_of === undefined) return undefined;
  const parallel = graph.nodes[placeOf.get(node.parallel_of) ?? -1];
  if (parallel?.type !== "parallel") return undefined;
  const branches = new Map<string, number>();
  return (id) => {
    const known = branches.get(id);
    if (known !== undefined) return known;
    const before = ancestorsOf(id, parallel.id, incoming);
    const found = parallel.parallel_of.findIndex((head) => head === id || before.has(head));
    const branch = found === -1 ? parallel.parallel_of.length : found;
    branches.set(id, branch);
    return branch;
  };
}
