import type { OpenDecision } from "@reprise/runtime";
import { getAt, type Json } from "@reprise/state";
import type { WorkflowState } from "@reprise/workflow";
import { describeGraph } from "./describe-graph.ts";

/** How the nodes of a run stand, for clients. Outputs that are too large for the state are `{ "$blob": …, "bytes": … }`. */
export function describeState({ document, inputs, ctx, nodes, workflow, error }: WorkflowState): object {
  return {
    document,
    graph: describeGraph(workflow),
    inputs,
    ...(ctx !== undefined && { context: ctx }),
    nodes: Object.entries(nodes).map(([node_id, record]) => ({ node_id, ...record })),
    outputs: Object.fromEntries(
      workflow.nodes.flatMap(({ id, type }) => {
        const output = type === "output" ? nodes[id]?.output : undefined;
        return output === undefined ? [] : [[id, output]];
      }),
    ),
    ...(error !== undefined && { error }),
  };
}

/** A question of a workflow run to a person, or an event that it waits for. */
export interface WorkflowQuestion {
  readonly call_id: string;
  /** The node's path; absent for a question about the whole run. */
  readonly node_id?: string;
  /** `gate:approval`, `gate:input`, `gate:review`, `event:<name>`, `budget`, `unknown_outcome`, `upgrade`. */
  readonly action: string;
  readonly message?: string;
  readonly assignee?: string;
  readonly response_schema?: Json;
  readonly expires_at?: number;
}

export function describeQuestion({ id, ticket, expires_at }: OpenDecision): WorkflowQuestion {
  const { action = "", message, parameters, response_schema } = ticket?.suspension ?? {};
  const [node, assignee] = ["node_id", "assignee"].map((name) =>
    parameters === undefined ? undefined : getAt(parameters, [name]),
  );
  return {
    call_id: id,
    ...(typeof node === "string" && { node_id: node }),
    action,
    ...(message !== undefined && { message }),
    ...(typeof assignee === "string" && { assignee }),
    ...(response_schema !== undefined && { response_schema }),
    ...(expires_at !== undefined && { expires_at }),
  };
}
