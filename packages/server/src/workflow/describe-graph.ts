import { compilePlan, type PlanVertex, type Workflow } from "@reprise/workflow";

/** The graph of a workflow as JSON: its nodes in the order of the run plan, each with what it depends on. */
export function describeGraph(workflow: Workflow): object {
  return { nodes: describeVertices(verticesOf(workflow)) };
}

/** The nodes in the order of the run plan. */
export function verticesOf(workflow: Workflow): readonly PlanVertex[] {
  return compilePlan(workflow).vertices;
}

function describeVertices(vertices: readonly PlanVertex[]): readonly object[] {
  return vertices.map(({ id, type, node, dependencies, body }) => ({
    id,
    type,
    ...(node.name !== undefined && { name: node.name }),
    dependencies,
    ...(body !== undefined && { body: { nodes: describeVertices(body.vertices) } }),
  }));
}
