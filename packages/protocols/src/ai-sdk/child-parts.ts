import type { AgentEvent, EventLineage, EventOf } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { FileUrl } from "../chat/file-url.ts";
import { type AiSdkState, type Encoded, INITIAL_STATE, inOrder } from "./encoder-state.ts";
import { asksBelow, settleBelow } from "./tool-parts.ts";
import type { UiChunk } from "./ui-chunk.ts";

type Encode = (state: AiSdkState, event: AgentEvent, fileUrl: FileUrl) => Encoded;

/**
 * An event of a run below. What the run says reaches the page as transient data parts, each with a chunk of that run's own message: they are
 * not kept in the message and not sent back. A question of the run is a part of the message, so that the page can answer it.
 */
export function nestEvent(
  state: AiSdkState,
  event: AgentEvent & { readonly lineage: EventLineage },
  { encode, fileUrl }: { readonly encode: Encode; readonly fileUrl: FileUrl },
): Encoded {
  const { lineage, run_id: runId } = event;
  const { parent_run_id: parentRunId, call_id: callId, agent_id: agentId, depth } = lineage;
  const nested = (chunk: UiChunk): UiChunk => {
    // A chunk is JSON; its interface hides it.
    const data = { runId, parentRunId, callId, agentId, depth, chunk: chunk as unknown as Json };
    return { type: "data-child", data, transient: true };
  };
  return inOrder(
    state,
    (current) => {
      const { [runId]: child = INITIAL_STATE, ...others } = current.children ?? {};
      const [next, chunks] = encode(child, own(event), fileUrl);
      // A withdrawal concerns the tail of that run; what follows replaces it.
      const kept = next.phase === "withdrawn" ? { ...child, isTextOpen: false, isReasoningOpen: false } : next;
      const children = next.phase === "finished" ? others : { ...others, [runId]: kept };
      return [{ ...current, children }, chunks.map(nested)];
    },
    (current) => (event.type === "tool_call_done" ? settleQuestion(current, event) : [current, []]),
  );
}

function own({ lineage: _, ...event }: AgentEvent): AgentEvent {
  // The same event without a field that is optional in each of them.
  return event as AgentEvent;
}

/**
 * Questions of runs below are in a step of their own: pages answer by themselves once every part of the last step is decided, and the
 * call that waits for the run is not.
 */
function settleQuestion(state: AiSdkState, { data }: EventOf<"tool_call_done">): Encoded {
  const isQuestion = data.suspended !== undefined;
  if (!isQuestion) return settleBelow(state, data);
  if (asksBelow(state)) return settleBelow(state, data);
  const begun: readonly UiChunk[] = state.isStepOpen
    ? [{ type: "finish-step" }, { type: "start-step" }]
    : [{ type: "start-step" }];
  return inOrder(
    state,
    (current) => [{ ...current, isStepOpen: true }, begun],
    (current) => settleBelow(current, data),
  );
}

/** How a run below stands: one part a run, and the newest stays. */
export function childRunPart(event: EventOf<"child_run_start"> | EventOf<"child_run_progress">): UiChunk {
  const { id: callId, child_run_id: runId, agent_id: agentId } = event.data;
  const known = { runId, parentRunId: event.run_id, callId, agentId, depth: (event.lineage?.depth ?? 0) + 1 };
  const type = "data-child-run";
  if (event.type === "child_run_start") return { type, id: runId, data: { ...known, status: "running" } };
  const { status, step, tool, input_tokens: inputTokens, output_tokens: outputTokens, cost_microcents } = event.data;
  const spent = {
    inputTokens,
    outputTokens,
    ...(cost_microcents !== undefined && { costMicrocents: cost_microcents }),
  };
  return { type, id: runId, data: { ...known, status, step, ...(tool !== undefined && { tool }), ...spent } };
}
