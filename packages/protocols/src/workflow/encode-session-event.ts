import type { SessionEvent } from "@reprise/contracts";
import { turnBody, type WorkflowBody } from "./turn-fields.ts";
import type { WorkflowEvent } from "./workflow-event.ts";

/** One event of a session with its envelope. Needs no memory: a session counts its events itself. */
export function encodeSessionEvent(event: SessionEvent): WorkflowEvent {
  const [type, fields] = bodyOf(event);
  const timestamp = new Date(event.timestamp_ms).toISOString();
  return { type, sessionId: event.session_id, timestamp, sequenceNumber: event.seq, ...fields };
}

function bodyOf(event: SessionEvent): WorkflowBody {
  switch (event.type) {
    case "session_start":
      return ["session:started", { agentId: event.data.agent_id, model: event.data.model }];
    case "turn_start":
      return ["session:turn_started", { turn: event.data.turn }];
    case "approval_request": {
      const { node_id: nodeId, tool_id: toolId, preview } = event.data;
      return ["agent:approval_requested", { nodeId, toolId, preview }];
    }
    case "turn_end": {
      const { turn, stop_reason: stopReason, tokens, error } = event.data;
      const failure = error === undefined ? {} : { error: { ...error } };
      return ["session:turn_completed", { turn, stopReason, tokensUsed: { ...tokens }, ...failure }];
    }
    case "session_trim":
      return ["session:trimmed", { messages: event.data.messages }];
    case "session_cancel":
      return ["session:cancelled", {}];
    case "session_export":
      return ["session:exported", { workflowId: event.data.workflow_id }];
    case "node_delta":
    case "node_reasoning_delta":
    case "node_tool_call":
    case "node_tool_result":
    case "node_cost":
      return turnBody(event);
    default:
      return event satisfies never;
  }
}
