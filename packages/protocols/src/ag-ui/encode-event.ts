import { type AgentEvent, type EventData, type TokenUsage, terminationCode } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { FileUrl } from "../chat/file-url.ts";
import { showActivity } from "./activity-events.ts";
import type { AgUiEvent, AgUiOutcome, AgUiUsage, AgUiVersion } from "./ag-ui-event.ts";
import { appendArguments, dropAll, dropStep, dropUnready, readyCall, settleCall, startCall } from "./call-events.ts";
import { type AgUiEncoded, type AgUiState, inOrder, type OpenCall } from "./encoder-state.ts";
import { appendReasoning, appendText, closeTelling, messageIdOf, reasoningIdOf } from "./message-events.ts";
import { showNode } from "./node-events.ts";
import { allCalls, closeSubagents, encodeSubagentEvent } from "./subagents.ts";

/** What the client of a stream knows and speaks. */
export interface AgUiClient {
  readonly version?: AgUiVersion;
  /** The client's own id of the run; ours unless given. */
  readonly runId?: string;
  /** The client's own id of the run before. */
  readonly parentRunId?: string;
  /** Calls whose results the client sent itself. */
  readonly answered?: ReadonlySet<string>;
  /** Where a front end finds a file. As it is, unless given. */
  readonly fileUrl?: FileUrl;
}

const MOVES = { closeStep, endStep };
const asItIs: FileUrl = (url) => url;

/**
 * One event as the events a client gets of it. Pure: the same state and event always give the same, so a stream can be taken up anywhere by
 * going through the run's events from their start.
 */
export function encodeAgUiEvent(state: AgUiState, event: AgentEvent, client: AgUiClient = {}): AgUiEncoded {
  if (state.phase === "finished" || state.phase === "withdrawn") return [state, []];
  // Whatever happens to a run that waited, it waits no more.
  const awake: AgUiState = state.phase === "suspended" ? { ...state, phase: "open" } : state;
  const { lineage } = event;
  const [next, events] =
    lineage === undefined
      ? advance(awake, event, client)
      : encodeSubagentEvent(
          awake,
          { ...event, lineage },
          { ...MOVES, advance: (inner, each) => advance(inner, each, client) },
        );
  if (state.isStarted || event.type === "stream_reset") return [next, events];
  if (events.length === 0 && event.type !== "run_start") return [next, events];
  const run = { threadId: event.thread_id, runId: client.runId ?? event.run_id };
  // The thread and the run of an event from below are its own: the client knows those of the run above.
  const known = event.lineage === undefined ? run : (next.run ?? run);
  const begun = { ...next, run: known, isStarted: next.phase === "open" };
  return [begun, [runStarted(event, known, client), ...events]];
}

function advance(state: AgUiState, event: AgentEvent, client: AgUiClient): AgUiEncoded {
  switch (event.type) {
    case "run_start":
      return [state, []];
    case "run_finish":
      return finishRun(state, event, client);
    case "text_delta":
      return appendText(state, event.data.delta);
    case "reasoning_delta":
      return appendReasoning(state, event.data.delta);
    case "reasoning_encrypted_value":
      return [state, [encryptedValue(state, event.data)]];
    case "tool_call_start":
      return startCall(state, event.data);
    case "tool_call_delta":
      return appendArguments(state, event.data);
    case "tool_call_ready":
      return readyCall(state, event.data);
    case "tool_call_done":
      return settleCall(state, event.data, (id) => client.answered?.has(id) === true);
    case "step_start":
      return startStep(state, event.data);
    case "step_end":
      return closeStep(state);
    case "step_reset":
      return inOrder(state, closeTelling, dropStep, (closed) => [
        { ...closed, resets: closed.resets + 1, isStale: true },
        [],
      ]);
    case "stream_reset":
      return [
        { ...state, phase: "withdrawn" },
        [{ type: "RUN_ERROR", message: "What was shown is no longer true. Connect again.", code: "STREAM_RESET" }],
      ];
    case "error":
      return [{ ...state, failure: event.data.message }, []];
    case "inference_complete":
      return [
        { ...state, usage: addUsage(state.usage, event.data.model, event.data.usage) },
        [{ type: "CUSTOM", name: "inference_complete", value: inferenceOf(event.data) }],
      ];
    case "state_delta":
      return [state, [{ type: "STATE_DELTA", delta: event.data.delta }]];
    case "activity_snapshot":
      return showActivity(state, event.data, client.fileUrl ?? asItIs);
    case "agent_handoff":
      return [state, [{ type: "CUSTOM", name: "agent_handoff", value: { ...event.data } }]];
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
    // The result of the call follows by itself, and no client takes other arguments for a call it has.
    case "tool_call_resumed":
    case "child_run_start":
    case "child_run_progress":
    // For auditors, not for a front end.
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

function runStarted(
  { run_id, lineage }: AgentEvent,
  known: NonNullable<AgUiState["run"]>,
  { version, parentRunId }: AgUiClient,
): AgUiEvent {
  return {
    type: "RUN_STARTED",
    ...known,
    ...(version !== "0" && { protocolVersion: "1.0" }),
    ...(parentRunId !== undefined && { parentRunId }),
    // A client that wants to stop the run, or look at it elsewhere, needs our id.
    ...(lineage === undefined && known.runId !== run_id && { metadata: { runId: run_id } }),
  };
}

function startStep(state: AgUiState, { message_id }: EventData["step_start"]): AgUiEncoded {
  return inOrder(state, closeStep, (ended) => {
    const steps = ended.steps + 1;
    const begun = { ...ended, steps, isStepOpen: true, messageId: message_id, resets: 0 };
    return [begun, [{ type: "STEP_STARTED", stepName: `step_${steps}` }]];
  });
}

/** Clients refuse the end of a run with anything open in it. */
function closeStep(state: AgUiState): AgUiEncoded {
  return inOrder(state, closeTelling, dropUnready, (closed) => {
    if (!closed.isStepOpen) return [closed, []];
    return [{ ...closed, isStepOpen: false }, [{ type: "STEP_FINISHED", stepName: `step_${closed.steps}` }]];
  });
}

function closeBelow(state: AgUiState): AgUiEncoded {
  return closeSubagents(state, closeStep);
}

/** The end of a run leaves no call without a result. */
function endStep(state: AgUiState): AgUiEncoded {
  return inOrder(state, closeTelling, dropAll, closeStep);
}

function encryptedValue(state: AgUiState, { encrypted_value }: EventData["reasoning_encrypted_value"]): AgUiEvent {
  const entityId = reasoningIdOf(messageIdOf(state));
  return { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId, encryptedValue: encrypted_value };
}

function finishRun(
  state: AgUiState,
  event: Extract<AgentEvent, { type: "run_finish" }>,
  client: AgUiClient,
): AgUiEncoded {
  const { termination, result } = event.data;
  const isWaiting = termination.type === "suspended";
  // Nobody is asked: the run continues by itself, and so does the stream.
  if (isWaiting && outcomeOf(allCalls(state), client.version) === undefined) {
    return closeStep(state);
  }
  return inOrder(state, closeBelow, isWaiting ? closeStep : endStep, (ended) => {
    const { usage } = ended;
    const spent = usage.length === 0 ? {} : { usage };
    const failed = (message: string, code: string): AgUiEvent => ({ type: "RUN_ERROR", message, code, ...spent });
    const finished = (outcome: AgUiOutcome): AgUiEvent => ({
      type: "RUN_FINISHED",
      threadId: event.thread_id,
      runId: client.runId ?? event.run_id,
      ...(result !== undefined && { result }),
      outcome,
      ...spent,
      ...(termination.type === "stopped" && { metadata: { termination: terminationCode(termination) } }),
    });
    if (isWaiting) {
      const waiting = { ...ended, phase: "suspended", isStarted: false, usage: [] } as const;
      return [waiting, [finished(outcomeOf(allCalls(ended), client.version) ?? { type: "success" })]];
    }
    const over = { ...ended, phase: "finished" } as const;
    if (termination.type === "error") {
      return [over, [failed(ended.failure ?? termination.value, termination.code ?? "ERROR")]];
    }
    if (termination.type !== "cancelled") return [over, [finished({ type: "success" })]];
    // Clients before version 1 do not know the outcome.
    const end = client.version === "0" ? failed("Run cancelled", "CANCELLED") : finished({ type: "cancelled" });
    return [over, [end]];
  });
}

/** How the run of a client ends while calls wait; undefined when nobody is asked. */
export function outcomeOf(
  calls: Readonly<Record<string, Pick<OpenCall, "shownId" | "waits">>>,
  version: AgUiVersion | undefined,
): AgUiOutcome | undefined {
  const interrupts = Object.values(calls).flatMap(({ waits }) => (typeof waits === "object" ? [waits] : []));
  if (interrupts.length > 0) return { type: "interrupt", interrupts };
  const pending = Object.entries(calls).flatMap(([id, { waits, shownId = id }]) =>
    waits === "frontend" ? [shownId] : [],
  );
  if (pending.length === 0) return undefined;
  return version === "0" ? { type: "success" } : { type: "success", pendingToolCallIds: pending };
}

/** The end of a stream whose run failed and did not say so yet, or whose run waits for runs below it that need a person. */
export function finishStream(state: AgUiState, version: AgUiVersion | undefined): AgUiEncoded {
  const { failure, phase, run } = state;
  if (phase !== "open") return [state, []];
  const outcome = outcomeOf(allCalls(state), version);
  if (run !== undefined && failure === undefined && outcome !== undefined) {
    const { usage } = state;
    return inOrder(state, closeBelow, closeStep, (ended) => [
      { ...ended, phase: "suspended", isStarted: false, usage: [] },
      [
        {
          type: "RUN_FINISHED",
          ...run,
          outcome,
          ...(usage.length > 0 && { usage }),
        },
      ],
    ]);
  }
  if (failure === undefined) return [state, []];
  return inOrder(state, endStep, (ended) => [
    { ...ended, phase: "finished" },
    [{ type: "RUN_ERROR", message: failure, code: "ERROR" }],
  ]);
}

/** No activity: clients keep activities among their messages. */
function inferenceOf({ model, usage = {}, duration_ms }: EventData["inference_complete"]): Json {
  // A usage is plain numbers by name.
  return { model, usage: { ...usage } as Json, durationMs: duration_ms };
}

function addUsage(all: readonly AgUiUsage[], model: string, used: TokenUsage | undefined): readonly AgUiUsage[] {
  if (used === undefined || Object.keys(used).length === 0) return all;
  const known = all.find((entry) => entry.model === model);
  const sum = (name: keyof Omit<AgUiUsage, "model">, count: number | undefined): Partial<AgUiUsage> =>
    count === undefined ? {} : { [name]: (known?.[name] ?? 0) + count };
  const entry: AgUiUsage = {
    ...known,
    model,
    ...sum("inputTokens", used.prompt_tokens),
    ...sum("outputTokens", used.completion_tokens),
    ...sum("totalTokens", used.total_tokens),
    ...sum("reasoningTokens", used.thinking_tokens),
    ...sum("cachedInputTokens", used.cache_read_tokens),
    ...sum("cacheWriteInputTokens", used.cache_creation_tokens),
  };
  return known === undefined ? [...all, entry] : all.map((each) => (each === known ? entry : each));
}
