import type { AgentEvent } from "@reprise/contracts";
import { nodeStatus, nodeStatusId } from "../chat/node-status.ts";
import { showActivity } from "./activity-events.ts";
import type { AgUiEncoded, AgUiState } from "./encoder-state.ts";

type NodeEvent = Extract<AgentEvent, { type: `node_${string}` | "workflow_start" }>;

/**
 * The nodes of a workflow: how each stands is an activity, what its model says a custom event. Not steps, which clients want one after the other, and nodes
 * work side by side.
 */
export function showNode(state: AgUiState, event: NodeEvent): AgUiEncoded {
  switch (event.type) {
    case "workflow_start":
    case "node_delta":
    case "node_reasoning_delta":
    case "node_tool_call":
    case "node_tool_result":
      return [state, [{ type: "CUSTOM", name: event.type, value: { ...event.data } }]];
    case "node_cost":
      return [state, []];
    case "node_start":
    case "node_retry":
    case "node_wait":
    case "node_resume":
    case "node_end": {
      const shown = { message_id: nodeStatusId(event), activity_type: "workflow-node", content: nodeStatus(event) };
      return showActivity(state, shown, (url) => url);
    }
    default:
      return event satisfies never;
  }
}
