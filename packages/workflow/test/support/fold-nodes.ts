import type { AgentEvent } from "@reprise/contracts";
import type { NodeRecord, WorkflowState } from "../../src/run/workflow-state.ts";

/** What events tell of a node. The rest of a record says how its work goes on: calls, waits, counts. */
export type FoldedNode = Pick<NodeRecord, "status" | "attempt"> & {
  readonly [Field in "output" | "selected" | "error" | "reason"]?: unknown;
};

/** The nodes of a run after one more event. */
export function foldNode(nodes: Map<string, FoldedNode>, event: AgentEvent): void {
  switch (event.type) {
    case "node_start":
      return void nodes.set(event.data.node_id, { status: "running", attempt: event.data.attempt });
    case "node_retry":
      return void nodes.set(event.data.node_id, { status: "running", attempt: event.data.attempt });
    case "node_wait":
    case "node_resume": {
      const { attempt = 1 } = nodes.get(event.data.node_id) ?? {};
      const status = event.type === "node_wait" ? "waiting" : "running";
      return void nodes.set(event.data.node_id, { status, attempt });
    }
    case "node_end": {
      const { node_id, outcome: status, attempt = 0, output, selected, error, reason } = event.data;
      return void nodes.set(node_id, definedOf({ status, attempt, output, selected, error, reason }));
    }
    default:
      return;
  }
}

/** The same of a stored state. Items of fan-outs and iterations of loops are no nodes: what they hold follows from the nodes in them. */
export function nodesOfState({ nodes }: WorkflowState): ReadonlyMap<string, FoldedNode> {
  const entries = Object.entries(nodes).filter(([path]) => !path.endsWith("]") && !path.endsWith("#item"));
  return new Map(
    entries.map(([path, { status, attempt, output, selected, error, reason, wait }]) => {
      // Pauses of the run's own making: the node is still at its attempt.
      const isPause = wait?.type === "retry" || wait?.type === "rate_limit";
      const told = { status: isPause ? "running" : status, attempt, output, selected, error, reason };
      return [path, definedOf(told)] as const;
    }),
  );
}

function definedOf<Value extends object>(value: Value): Value {
  // Fields that are absent are left out on both sides.
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value;
}
