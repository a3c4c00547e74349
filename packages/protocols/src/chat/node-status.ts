import type { AgentEvent, EventData } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";

type StatusEvent = Extract<
  AgentEvent,
  { type: "node_start" | "node_retry" | "node_wait" | "node_resume" | "node_end" }
>;

/** The id under which clients keep how a node stands: the newest replaces the one before. */
export function nodeStatusId({ run_id, data }: StatusEvent): string {
  return `${run_id}-node-${data.node_id}`;
}

/** How a node of a workflow stands, for a page that draws it. Outputs are not part of it: they may be large. */
export function nodeStatus(event: StatusEvent): JsonObject {
  const { node_id: nodeId } = event.data;
  switch (event.type) {
    case "node_start":
      return { nodeId, status: "running", nodeType: event.data.node_type, attempt: event.data.attempt };
    case "node_retry": {
      const { attempt, error, delay_ms: delayMs } = event.data;
      return { nodeId, status: "retrying", attempt, delayMs, error: { ...error } };
    }
    case "node_wait":
      return { nodeId, status: "waiting", ...waitOf(event.data) };
    case "node_resume":
      return { nodeId, status: "running", wait: event.data.wait };
    case "node_end": {
      const { outcome: status, error, reason, selected, duration_ms } = event.data;
      return {
        nodeId,
        status,
        ...(error !== undefined && { error: { ...error } }),
        ...(reason !== undefined && { reason }),
        ...(selected !== undefined && { selected }),
        ...(duration_ms !== undefined && { durationMs: duration_ms }),
      };
    }
    default:
      return event satisfies never;
  }
}

function waitOf({ wait, call_id, message, expires_at }: EventData["node_wait"]): JsonObject {
  return {
    wait,
    callId: call_id,
    ...(message !== undefined && { message }),
    ...(expires_at !== undefined && { expiresAt: new Date(expires_at).toISOString() }),
  };
}
