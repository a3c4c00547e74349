import type { AgentEvent } from "@reprise/contracts";
import type { FileUrl } from "../chat/file-url.ts";
import { childRunPart, nestEvent } from "./child-parts.ts";
import { dataChunks } from "./data-parts.ts";
import { type AiSdkState, type Encoded, inOrder } from "./encoder-state.ts";
import { showNode } from "./node-parts.ts";
import { closeSettledStep, endStep, finishRun, resetStep, startStep, withStart } from "./run-parts.ts";
import { appendReasoning, appendText } from "./text-parts.ts";
import { appendInput, readyCall, resumeCall, settleCall, startCall } from "./tool-parts.ts";

/**
 * One event as the chunks a client gets of it. Pure: the same state and event always give the same, so a stream can be taken up anywhere
 * by going through the run's events from their start.
 */
export function encodeAiSdkEvent(state: AiSdkState, event: AgentEvent, fileUrl: FileUrl = (url) => url): Encoded {
  if (state.phase === "finished" || state.phase === "withdrawn") return [state, []];
  // Whatever happens to a run that waited, it waits no more.
  const awake: AiSdkState = state.phase === "suspended" ? { ...state, phase: "open" } : state;
  return withStart(advance(awake, event, fileUrl), event);
}

function advance(state: AiSdkState, event: AgentEvent, fileUrl: FileUrl): Encoded {
  if (event.type === "child_run_start" || event.type === "child_run_progress") return [state, [childRunPart(event)]];
  const { lineage } = event;
  if (lineage !== undefined) return nestEvent(state, { ...event, lineage }, { encode: encodeAiSdkEvent, fileUrl });
  switch (event.type) {
    case "run_start":
      return [state, []];
    case "run_finish":
      return finishRun(state, event);
    case "text_delta":
      return appendText(state, event.data.delta);
    case "reasoning_delta":
      return appendReasoning(state, event.data.delta);
    case "tool_call_start":
      return startCall(state, event.data);
    case "tool_call_delta":
      return appendInput(state, event.data);
    case "tool_call_ready":
      return readyCall(state, event.data);
    case "tool_call_done":
      return inOrder(state, (current) => settleCall(current, event.data), closeSettledStep);
    case "tool_call_resumed":
      return resumeCall(state, event.data);
    case "step_start":
      return startStep(state, event.data);
    case "step_end":
      return endStep(state);
    case "step_reset":
      return resetStep(state);
    case "stream_reset":
      return [
        { ...state, phase: "withdrawn" },
        [{ type: "data-stream-reset", data: { fromSeq: event.data.from_seq }, transient: true }],
      ];
    case "error":
      return [{ ...state, failure: event.data.message }, []];
    case "reasoning_encrypted_value":
    case "inference_complete":
    case "state_delta":
    case "activity_snapshot":
    case "agent_handoff":
      return [state, dataChunks(event, fileUrl)];
    case "workflow_start":
    case "node_start":
    case "node_delta":
    case "node_reasoning_delta":
    case "node_tool_call":
    case "node_tool_result":
    case "node_cost":
    case "node_end":
    case "node_retry":
    case "node_wait":
    case "node_resume":
      return showNode(state, event);
    // The result says it too, and comes with it.
    case "tool_call_cancelled":
    // For auditors, not for a chat.
    case "context_resolved":
    case "model_routed":
    case "model_waiting":
    case "definition_changed":
    case "budget_warning":
    case "cost_recorded":
    case "permission_evaluated":
    case "compaction_started":
    case "compaction_completed":
    case "compaction_failed":
    case "guardrail_tripped":
    case "hook_completed":
    case "tool_catalog_resolved":
      return [state, []];
    default:
      event satisfies never;
      // An event of a later version has no part here.
      return [state, []];
  }
}
