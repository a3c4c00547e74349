import { type AgentEvent, continuesByItself, type EventData, type Termination } from "@reprise/contracts";
import { getAt } from "@reprise/state";
import type { AcpStopReason, AcpUpdate } from "./acp-types.ts";
import { encodeQuestion } from "./encode-question.ts";
import { type AcpFrame, type AcpState, type Encoded, type OpenCall, show } from "./encoder-state.ts";
import { describeCall, describeResult, type KindOf } from "./tool-call.ts";

export interface AcpEncodingOptions {
  readonly kindOf?: KindOf;
  /** The client shows notices: it said so in `initialize`. */
  readonly notices?: boolean;
  /** The client shows compactions. */
  readonly compaction?: boolean;
  /** The cost of the session before this run, in millionths of a cent. */
  readonly costBefore?: number;
}

/** One event as a client gets it. Pure: the same state and event always give the same frames. */
export function encodeAcpEvent(state: AcpState, event: AgentEvent, options: AcpEncodingOptions = {}): Encoded {
  if (state.phase === "finished") return [state, []];
  if (event.lineage !== undefined) return encodeBelow(state, event, options);
  switch (event.type) {
    case "step_start":
      return startStep(state, event.data);
    case "text_delta":
      return [state, say(state, "agent_message_chunk", event.data.delta)];
    case "reasoning_delta":
      return [state, say(state, "agent_thought_chunk", event.data.delta)];
    case "tool_call_start":
      return startCall(state, event.data, options);
    case "tool_call_ready":
      return readyCall(state, event.data, options);
    case "tool_call_done":
      return settleCall(state, event, options);
    case "tool_call_resumed":
      return resumeCall(state, event.data);
    case "step_end":
      return dropCalls(state, ({ isReady }) => !isReady);
    case "step_reset":
    case "stream_reset":
      return withdraw(state);
    case "activity_snapshot":
      return [state, showActivity(state, event.data)];
    case "context_resolved": {
      const window = event.data?.window_tokens;
      return [window === undefined ? state : { ...state, window }, []];
    }
    case "cost_recorded":
      return [state, showUsage(state, event.data, options.costBefore)];
    case "error":
      return [{ ...state, failure: event.data.message }, []];
    case "run_finish":
      return finishRun(state, event.data);
    case "model_waiting":
    case "budget_warning":
      return [state, options.notices === true ? show(noticeOf(event)) : []];
    case "compaction_started":
    case "compaction_completed":
    case "compaction_failed":
      return [state, options.compaction === true ? show(compactionOf(event)) : []];
    case "run_start":
    // The whole input follows when it is complete.
    case "tool_call_delta":
    // The result says it too, and comes with it.
    case "tool_call_cancelled":
    // Not for a conversation.
    case "reasoning_encrypted_value":
    case "inference_complete":
    case "state_delta":
    case "model_routed":
    case "definition_changed":
    case "permission_evaluated":
    case "guardrail_tripped":
    case "hook_completed":
    case "tool_catalog_resolved":
    case "agent_handoff":
    case "child_run_start":
    case "child_run_progress":
    // Nodes of a workflow: its answer is a step of its own.
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
      return [state, []];
    default:
      event satisfies never;
      // An event of a later version.
      return [state, []];
  }
}

/** Of a run below a client sees the calls that a person is asked about, until they are done. */
function encodeBelow(state: AcpState, event: AgentEvent, options: AcpEncodingOptions): Encoded {
  const isOfRun = ({ runId }: OpenCall): boolean => runId === event.run_id;
  switch (event.type) {
    case "tool_call_done": {
      const { id, suspended } = event.data;
      const isQuestion = suspended !== undefined && !continuesByItself(suspended);
      return isQuestion || callOf(state, id) !== undefined ? settleCall(state, event, options) : [state, []];
    }
    case "tool_call_resumed":
      return resumeCall(state, event.data);
    case "stream_reset":
      return withdrawQuestions(state, isOfRun);
    case "run_finish":
      return event.data.termination.type === "suspended" ? [state, []] : dropCalls(state, isOfRun);
    default:
      return [state, []];
  }
}

/** Questions of a run below that may never have been stored. The run asks again. */
function withdrawQuestions(state: AcpState, isOfRun: (call: OpenCall) => boolean): Encoded {
  const asked = Object.entries(state.calls).filter(([, call]) => isOfRun(call) && call.isAsked);
  if (asked.length === 0) return [state, []];
  const withdrawn = asked.map(([id, call]) => [id, { ...call, isAsked: false }] as const);
  return [
    { ...state, calls: { ...state.calls, ...Object.fromEntries(withdrawn) } },
    asked.map(([callId]) => ({ type: "answered", callId })),
  ];
}

/** A step that begins again after a withdrawal has the same message. */
function startStep(state: AcpState, { message_id: messageId }: EventData["step_start"]): Encoded {
  return [{ ...state, messageId, attempt: messageId === state.messageId ? state.attempt : 0 }, []];
}

type ChunkKind = "agent_message_chunk" | "agent_thought_chunk";

function say(state: AcpState, sessionUpdate: ChunkKind, text: string): readonly AcpFrame[] {
  if (text === "") return [];
  const { messageId, attempt } = state;
  const again = attempt === 0 ? "" : `-r${attempt}`;
  const thought = sessionUpdate === "agent_thought_chunk" ? "-thought" : "";
  const id = messageId === undefined ? {} : { messageId: `${messageId}${thought}${again}` };
  return show({ sessionUpdate, content: { type: "text", text }, ...id });
}

function startCall(
  state: AcpState,
  { id, name }: EventData["tool_call_start"],
  { kindOf }: AcpEncodingOptions,
): Encoded {
  const call = { name, isReady: false, isAsked: false };
  const described = { ...describeCall(id, name, undefined, kindOf?.(name)), status: "pending" as const };
  const sessionUpdate = callOf(state, id) === undefined ? "tool_call" : "tool_call_update";
  return [putCall(state, id, call), show({ sessionUpdate, ...described })];
}

function readyCall(state: AcpState, data: EventData["tool_call_ready"], { kindOf }: AcpEncodingOptions): Encoded {
  const { id, name, arguments: input } = data;
  const isKnown = callOf(state, id) !== undefined;
  const described = { ...describeCall(id, name, input, kindOf?.(name)), status: "in_progress" as const };
  const next = putCall(state, id, { name, isReady: true, isAsked: false });
  return [next, show({ sessionUpdate: isKnown ? "tool_call_update" : "tool_call", ...described })];
}

function resumeCall(state: AcpState, { target_id: id, result }: EventData["tool_call_resumed"]): Encoded {
  const call = callOf(state, id);
  if (call === undefined) return [state, []];
  const edited = getAt(result, ["arguments"]);
  const update: AcpUpdate = {
    sessionUpdate: "tool_call_update",
    toolCallId: id,
    status: "in_progress",
    ...(edited !== undefined && { rawInput: edited }),
  };
  return [putCall(state, id, { ...call, isAsked: false }), [{ type: "answered", callId: id }, ...show(update)]];
}

/** The result of a call, or a question about it. The model did not ask for every call: a question of the runtime's own begins here. */
function settleCall(
  state: AcpState,
  { run_id, lineage, data }: Extract<AgentEvent, { type: "tool_call_done" }>,
  { kindOf }: AcpEncodingOptions,
): Encoded {
  const { id, result, suspended } = data;
  const below = lineage === undefined ? {} : { runId: run_id };
  const known = callOf(state, id);
  const name = suspended?.ticket.pending.name ?? known?.name ?? result.tool_name;
  const begin: readonly AcpFrame[] =
    known !== undefined
      ? []
      : show({
          sessionUpdate: "tool_call",
          ...describeCall(id, name, suspended?.ticket.pending.arguments, kindOf?.(name)),
          status: "pending",
        });
  if (suspended === undefined) {
    const { [id]: _ended, ...calls } = state.calls;
    const answered: readonly AcpFrame[] = known?.isAsked === true ? [{ type: "answered", callId: id }] : [];
    const ended = show({ sessionUpdate: "tool_call_update", ...describeResult(id, result) });
    return [{ ...state, calls }, [...begin, ...answered, ...ended]];
  }
  // The end of a run below, or the time, answers this one.
  if (continuesByItself(suspended))
    return [putCall(state, id, { name, isReady: true, isAsked: false, ...below }), begin];
  const { ticket, suspension, binding_hash } = suspended;
  const waiting: AcpUpdate = { sessionUpdate: "tool_call_update", toolCallId: id, status: "pending" };
  const question = encodeQuestion({ id, run_id, ticket, suspension, binding_hash });
  return [
    putCall(state, id, { name, isReady: true, isAsked: true, ...below }),
    [...begin, ...show(waiting), { type: "question", question }],
  ];
}

/**
 * Text that was shown cannot be taken back: what follows is another message. Calls that the model does not make again are given up at the
 * end of the step.
 */
function withdraw(state: AcpState): Encoded {
  const calls = Object.entries(state.calls).map(
    ([id, call]) => [id, call.runId === undefined ? { ...call, isReady: call.isAsked } : call] as const,
  );
  return [{ ...state, calls: Object.fromEntries(calls), attempt: state.attempt + 1 }, []];
}

/** Gives calls up that the model began and did not finish. */
function dropCalls(state: AcpState, isDropped: (call: OpenCall) => boolean): Encoded {
  const entries = Object.entries(state.calls);
  const dropped = entries.filter(([, call]) => isDropped(call));
  if (dropped.length === 0) return [state, []];
  const calls = Object.fromEntries(entries.filter(([, call]) => !isDropped(call)));
  const text = "The call was not finished.";
  const frames = dropped.flatMap(([toolCallId, { isAsked }]): readonly AcpFrame[] => [
    ...(isAsked ? [{ type: "answered", callId: toolCallId } as const] : []),
    ...show({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "failed",
      content: [{ type: "content", content: { type: "text", text } }],
    }),
  ]);
  return [{ ...state, calls }, frames];
}

function showActivity(
  state: AcpState,
  { activity_type, content }: EventData["activity_snapshot"],
): readonly AcpFrame[] {
  const read = (...names: readonly string[]): string | undefined =>
    names.map((name) => getAt(content, [name])).find((value) => typeof value === "string");
  if (activity_type === "tool-call-progress") {
    const [toolCallId = "", text] = [read("call_id"), read("message")];
    if (text === undefined || callOf(state, toolCallId) === undefined) return [];
    const shown = { type: "content", content: { type: "text", text } } as const;
    return show({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress", content: [shown] });
  }
  const uri = activity_type === "file" ? read("url") : undefined;
  if (uri === undefined) return [];
  const mimeType = read("media_type", "mediaType");
  const link = { type: "resource_link", uri, name: read("filename") ?? "file" } as const;
  const file = { ...link, ...(mimeType !== undefined && { mimeType }) };
  return show({ sessionUpdate: "agent_message_chunk", content: file });
}

/** Microcents are millionths of a cent. */
const PER_DOLLAR = 100_000_000;

/** How full the window is after an answer. A client needs both numbers, so nothing is said where the window is not known. */
function showUsage({ window }: AcpState, cost: EventData["cost_recorded"], before = 0): readonly AcpFrame[] {
  const { usage = {}, plugin, priced, run_cost_microcents: spent } = cost;
  const used = usage.total_tokens ?? (usage.prompt_tokens ?? 0) + (usage.completion_tokens ?? 0);
  if (window === undefined || plugin !== undefined || used === 0) return [];
  const paid = priced ? { cost: { amount: (before + spent) / PER_DOLLAR, currency: "USD" } } : {};
  return show({ sessionUpdate: "usage_update", used, size: window, ...paid });
}

function noticeOf(event: Extract<AgentEvent, { type: "model_waiting" | "budget_warning" }>): AcpUpdate {
  const title =
    event.type === "model_waiting"
      ? `No model can be asked now (${event.data.reason}). The run tries again.`
      : `The budget is nearly used up (${event.data.reason}).`;
  return { sessionUpdate: "notice", severity: "warning", title };
}

type CompactionEvent = Extract<
  AgentEvent,
  { type: "compaction_started" | "compaction_completed" | "compaction_failed" }
>;

function compactionOf(event: CompactionEvent): AcpUpdate {
  const update = { sessionUpdate: "compaction_update", compactionId: event.data.compaction_id } as const;
  switch (event.type) {
    case "compaction_started":
      return { ...update, status: "in_progress" };
    case "compaction_completed":
      return { ...update, status: "completed", summary: [{ type: "text", text: event.data.summary_preview }] };
    case "compaction_failed":
      return { ...update, status: "failed", error: event.data.error ?? event.data.reason };
    default:
      return event satisfies never;
  }
}

/** The end of an activation. A run that waits stays open: its questions were asked where they came up. */
function finishRun(state: AcpState, { termination }: EventData["run_finish"]): Encoded {
  if (termination.type === "suspended") return [state, []];
  const [ended, dropped] = dropCalls(state, () => true);
  return [{ ...ended, phase: "finished" }, [...dropped, endOf(state, termination)]];
}

function endOf({ failure }: AcpState, termination: Termination): AcpFrame {
  if (termination.type !== "error") return { type: "stop", stopReason: stopReasonOf(termination) };
  const { value, code } = termination;
  return { type: "failed", message: failure ?? value, ...(code !== undefined && { code }) };
}

const STOPPED: Readonly<Record<string, AcpStopReason>> = {
  max_rounds_reached: "max_turn_requests",
  timeout_reached: "max_turn_requests",
  token_budget_exceeded: "max_tokens",
  output_truncated: "max_tokens",
  superseded: "cancelled",
};

function stopReasonOf(termination: Exclude<Termination, { type: "error" }>): AcpStopReason {
  switch (termination.type) {
    case "stopped": {
      const { code } = termination.value;
      return (Object.hasOwn(STOPPED, code) ? STOPPED[code] : undefined) ?? "end_turn";
    }
    case "cancelled":
      return "cancelled";
    case "natural_end":
    case "behavior_requested":
    case "suspended":
      return "end_turn";
    default:
      return termination satisfies never;
  }
}

function callOf({ calls }: AcpState, id: string): OpenCall | undefined {
  return Object.hasOwn(calls, id) ? calls[id] : undefined;
}

function putCall(state: AcpState, id: string, call: OpenCall): AcpState {
  return { ...state, calls: { ...state.calls, [id]: call } };
}
