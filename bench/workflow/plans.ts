import type { Workflow, WorkflowEdge, WorkflowNode } from "../../packages/workflow/src/document/workflow-document.ts";
import { compilePlan } from "../../packages/workflow/src/plan/compile-plan.ts";
import { GraphRun } from "../../packages/workflow/src/run/graph-run.ts";
import type { NodeRecord } from "../../packages/workflow/src/run/workflow-state.ts";

/** A workflow of layers: every node of one depends on three of the layer before. */
export function layered(nodes: number, width: number): Workflow {
  const idOf = (index: number): string => `n${index}`;
  const made: WorkflowNode[] = Array.from({ length: nodes }, (_, index) => ({
    id: idOf(index),
    type: "transform",
    expression: "1",
  }));
  const edges: WorkflowEdge[] = [];
  for (let index = width; index < nodes; index += 1) {
    const layer = Math.floor(index / width) * width - width;
    for (const offset of [0, 7, 13]) edges.push({ from: idOf(layer + ((index + offset) % width)), to: idOf(index) });
  }
  return { id: "layered", nodes: made, edges };
}

/** How long a plan takes to compile, in milliseconds. */
export function measureCompile(workflow: Workflow): number {
  const start = performance.now();
  compilePlan(workflow);
  return performance.now() - start;
}

/** How long it takes to find, begin and settle one node, in microseconds. */
export function measureSchedule(workflow: Workflow): number {
  const { vertices } = compilePlan(workflow);
  const records = new Map<string, NodeRecord>();
  const done: NodeRecord = { status: "completed", attempt: 1, started_at: 0, output: null };
  const start = performance.now();
  const graph = new GraphRun(vertices, "", (path) => records.get(path));
  while (!graph.isOver) {
    for (const vertex of graph.takeReady()) {
      if (graph.readiness(vertex, () => true) !== "run") throw new Error(`${vertex.id} would be skipped.`);
      records.set(vertex.id, done);
      graph.settle(vertex.id);
    }
  }
  return ((performance.now() - start) * 1000) / vertices.length;
}
