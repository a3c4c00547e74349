import type { AgentEvent } from "@reprise/contracts";
import { nodeStatus, nodeStatusId } from "../chat/node-status.ts";
import type { AiSdkState, Encoded } from "./encoder-state.ts";
import type { UiChunk } from "./ui-chunk.ts";

type NodeEvent = Extract<AgentEvent, { type: `node_${string}` | "workflow_start" }>;

/** The nodes of a workflow as data parts: how each stands stays in the message, what its model says is for the moment. */
export function showNode(state: AiSdkState, event: NodeEvent): Encoded {
  switch (event.type) {
    case "workflow_start": {
      const { workflow_id: workflowId, document } = event.data;
      // The first step of such a run is at its end, or at its first question. Its id is known before.
      const messageId = state.messageId ?? `${event.run_id}-s1-m`;
      return [{ ...state, messageId }, [{ type: "data-workflow", id: event.run_id, data: { workflowId, document } }]];
    }
    case "node_delta":
      return [state, [moment("node-text", { nodeId: event.data.node_id, delta: event.data.delta })]];
    case "node_reasoning_delta":
      return [state, [moment("node-reasoning", { nodeId: event.data.node_id, delta: event.data.delta })]];
    case "node_tool_call": {
      const { node_id: nodeId, id, tool_id: toolId } = event.data;
      return [state, [moment("node-tool", { nodeId, id, toolId, status: "running" })]];
    }
    case "node_tool_result": {
      const { node_id: nodeId, id, tool_id: toolId, success } = event.data;
      return [state, [moment("node-tool", { nodeId, id, toolId, status: success ? "succeeded" : "failed" })]];
    }
    case "node_cost":
      return [state, []];
    case "node_start":
    case "node_retry":
    case "node_wait":
    case "node_resume":
    case "node_end":
      return [state, [{ type: "data-node", id: nodeStatusId(event), data: nodeStatus(event) }]];
    default:
      return event satisfies never;
  }
}

function moment(name: string, data: { readonly [key: string]: string }): UiChunk {
  return { type: `data-${name}`, data, transient: true };
}
