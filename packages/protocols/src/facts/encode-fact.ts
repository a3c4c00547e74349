import type { AgentEvent, ContextFact, EventData, RouteFact, Termination } from "@reprise/contracts";
import { getAt, type Json, type JsonObject } from "@reprise/state";
import { describeFailure, endedCall, safeArguments } from "./call-facts.ts";
import type { FactState, KnownCall } from "./encoder-state.ts";
import { FACTS_VERSION } from "./fact-schema.ts";
import type { FactId, FactType } from "./fact-types.ts";

/** One fact of a run. */
export interface Fact {
  readonly type: FactType;
  readonly eventId: string;
  readonly timestamp: string;
  readonly schemaVersion: string;
  readonly runtimeId: string;
  readonly sessionId: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly runId: string;
  readonly stepId?: string;
  readonly toolCallId?: string;
  readonly actionId?: string;
  readonly artifactId?: string;
  /** The position of the event in its run. Facts of one event share it. */
  readonly sequence: number;
  readonly payload: JsonObject;
}

/** A fact without its envelope. */
interface Told {
  readonly type: FactType;
  readonly payload: JsonObject;
  readonly ids?: { readonly [Id in FactId]?: string };
}

type Moved = readonly [state: FactState, told: readonly Told[]];

/** One event as facts. Pure: the same state and event always give the same. */
export function encodeFactEvent(
  state: FactState,
  event: AgentEvent,
): readonly [state: FactState, facts: readonly Fact[]] {
  if (state.phase === "finished") return [state, []];
  const [next, told] = advance(state, event);
  return [next, told.map((fact, index) => envelop(event, fact, index))];
}

function envelop(event: AgentEvent, { type, payload, ids = {} }: Told, index: number): Fact {
  const { run_id, thread_id, seq = 0, timestamp_ms, step_id } = event;
  return {
    type,
    eventId: `${run_id}:${seq}:${index}`,
    timestamp: new Date(timestamp_ms).toISOString(),
    schemaVersion: FACTS_VERSION,
    runtimeId: "reprise",
    sessionId: thread_id,
    threadId: thread_id,
    turnId: run_id,
    runId: run_id,
    ...stepOf(step_id, ids.toolCallId),
    ...ids,
    sequence: seq,
    payload,
  };
}

/** A call that ends with its run is told without a step: the id of the call begins with that of its step. */
function stepOf(stepId: string | undefined, callId: string | undefined): Pick<Fact, "stepId"> {
  if (stepId !== undefined) return { stepId };
  const found = callId?.replace(/-c[0-9]+$/, "");
  return found === undefined || found === callId ? {} : { stepId: found };
}

function advance(state: FactState, event: AgentEvent): Moved {
  switch (event.type) {
    case "run_start":
      return startRun(state, event.data ?? {});
    case "run_finish":
      return finishRun(state, event.data);
    case "text_delta":
      return [state, [{ type: "model.delta", payload: { text: event.data.delta } }]];
    case "reasoning_delta":
      return [state, [{ type: "reasoning.delta", payload: { text: event.data.delta } }]];
    case "step_start":
      return [state, [{ type: "model.requested", payload: { messageId: event.data.message_id } }]];
    case "inference_complete": {
      const { model, usage, duration_ms } = event.data;
      const payload = { model, ...(usage !== undefined && { usage: json(usage) }), durationMs: duration_ms };
      return [state, [{ type: "model.completed", payload }]];
    }
    case "tool_call_start":
      return startCall(state, event.data);
    case "tool_call_ready": {
      const { id, name, arguments: given } = event.data;
      const payload = { toolName: name, ...safeArguments(given, refOf(event)) };
      return [withCall(state, id, { name }), [{ type: "tool.args", ids: { toolCallId: id }, payload }]];
    }
    case "tool_call_done":
      return event.data.outcome === "suspended" ? askFor(state, event) : endCall(state, event.data);
    case "tool_call_resumed":
      return resolveAction(state, event.data);
    case "tool_call_cancelled":
      return [withCall(state, event.data.id, { cancelReason: event.data.reason }), []];
    case "activity_snapshot":
      return [state, [describeActivity(event.data)]];
    case "permission_evaluated":
      return evaluate(state, event.data);
    case "guardrail_tripped": {
      const { guardrail, position, action, reason } = event.data;
      const point = position === "input" ? "user_prompt_submit" : "post_sampling";
      const payload = { hook: guardrail, point, decision: action, ...(reason !== undefined && { reason }) };
      return [state, [{ type: "hook.completed", payload }]];
    }
    case "hook_completed":
      return tellHook(state, event.data);
    case "tool_catalog_resolved": {
      const { count, digest, tools, tools_ref } = event.data;
      const known = tools.map((tool) => json(tool) as JsonObject);
      const payload = { count, digest, tools: known, ...(tools_ref !== undefined && { toolsRef: tools_ref }) };
      const byName = Object.fromEntries(tools.map((tool) => [tool.tool_name, flagsOf(tool)]));
      return [{ ...state, tools: byName }, [{ type: "tool.catalog.resolved", payload }]];
    }
    case "context_resolved":
      return [state, [{ type: "context.resolved", payload: describeContext(event.data ?? {}) }]];
    case "model_routed":
      return [state, [describeRoute(event.data)]];
    case "model_waiting":
      return [
        state,
        [{ type: "rate_limit.hit", payload: { until: date(event.data.until), reason: event.data.reason } }],
      ];
    case "budget_warning": {
      const { reason, ...budget } = event.data;
      const type = reason === "over_limit" ? "quota.blocked" : "quota.low";
      return [state, [{ type, payload: { reason, budget: json(budget) } }]];
    }
    case "cost_recorded":
      return [state, [describeCost(event.data)]];
    case "compaction_started":
      return [
        state,
        [
          {
            type: "context.compaction.started",
            payload: { ...describeCompaction(event.data), isInBackground: event.data.background },
          },
        ],
      ];
    case "compaction_completed": {
      const { summary_preview, continuation_refs } = event.data;
      const payload = { summaryPreview: summary_preview, continuationRefs: continuation_refs };
      return [
        state,
        [{ type: "context.compaction.completed", payload: { ...describeCompaction(event.data), ...payload } }],
      ];
    }
    case "compaction_failed": {
      const { reason, error } = event.data;
      const payload = { ...describeCompaction(event.data), reason, ...(error !== undefined && { error }) };
      return [state, [{ type: "context.compaction.failed", payload }]];
    }
    case "definition_changed": {
      const { agent_id, from, to } = event.data;
      return [state, [{ type: "policy.changed", payload: { agentId: agent_id, from, to } }]];
    }
    case "agent_handoff": {
      const { from, to, number } = event.data;
      const payload = { status: "running", reason: "agent_handoff", agentId: to, fromAgentId: from, handoff: number };
      return [state, [{ type: "run.status", payload }]];
    }
    case "step_reset":
      return [state, [{ type: "snapshot.repaired", payload: { messageId: event.data.message_id } }]];
    case "stream_reset":
      return [state, [{ type: "snapshot.repaired", payload: { fromSequence: event.data.from_seq } }]];
    case "error": {
      const { message, code } = event.data;
      return [state, [{ type: "runtime.error", payload: { message, ...(code !== undefined && { code }) } }]];
    }
    // Pieces of something that is told whole, and things only the provider or a copy of the state needs.
    case "tool_call_delta":
    case "reasoning_encrypted_value":
    case "state_delta":
    case "step_end":
    // The facts of a run below are told by that run.
    case "child_run_start":
    case "child_run_progress":
    // The nodes of a workflow have an encoding of their own.
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
      // An event of a later version is no fact of this one.
      return [state, []];
  }
}

/** A value that is made of JSON; its interface hides it. */
function json(value: object): Json {
  return value as unknown as Json;
}

function date(timestampMs: number): string {
  return new Date(timestampMs).toISOString();
}

/** Where the journal has an event whole. */
function refOf({ run_id, seq = 0 }: AgentEvent): string {
  return `event:${run_id}:${seq}`;
}

function startRun(state: FactState, { parent_run_id }: EventData["run_start"]): Moved {
  if (state.isStarted) return [state, [{ type: "run.status", payload: { status: "running" } }]];
  const payload = parent_run_id === undefined ? {} : { parentRunId: parent_run_id };
  return [{ ...state, isStarted: true }, [{ type: "turn.started", payload }]];
}

function finishRun(state: FactState, { termination, result }: EventData["run_finish"]): Moved {
  if (termination.type === "suspended") {
    return [state, [{ type: "run.status", payload: { status: "blocked", reason: "input_required" } }]];
  }
  return [{ ...state, phase: "finished" }, describeEnd(termination, result)];
}

function describeEnd(termination: Termination, result: EventData["run_finish"]["result"]): readonly Told[] {
  if (termination.type === "error") {
    const { value, code } = termination;
    return [
      { type: "turn.failed", payload: { status: "failed", message: value, ...(code !== undefined && { code }) } },
    ];
  }
  if (termination.type === "cancelled") {
    const { detail } = termination;
    const status = { status: "cancelled", ...(detail !== undefined && { reason: detail }) };
    const failed = { status: "cancelled", ...(detail !== undefined && { message: detail }) };
    return [
      { type: "run.status", payload: status },
      { type: "turn.failed", payload: failed },
    ];
  }
  const stopped = termination.type === "stopped" ? termination.value : undefined;
  const detail = stopped?.detail ?? (termination.type === "behavior_requested" ? termination.detail : undefined);
  const reason =
    stopped === undefined
      ? termination.type === "natural_end"
        ? "natural"
        : termination.type
      : `stopped:${stopped.code}`;
  const payload = { reason, ...(detail !== undefined && { detail }), ...(result !== undefined && { output: result }) };
  return [{ type: "turn.completed", payload }];
}

function withCall(state: FactState, id: string, change: Partial<KnownCall>): FactState {
  const known = Object.hasOwn(state.calls, id) ? state.calls[id] : undefined;
  return { ...state, calls: { ...state.calls, [id]: { name: "", ...known, ...change } } };
}

function callOf(state: FactState, id: string, name: string): KnownCall {
  const known = Object.hasOwn(state.calls, id) ? state.calls[id] : undefined;
  return { ...known, name: known === undefined || known.name === "" ? name : known.name };
}

function startCall(state: FactState, { id, name }: EventData["tool_call_start"]): Moved {
  const tool = Object.hasOwn(state.tools, name) ? state.tools[name] : undefined;
  const payload = { toolName: name, ...(tool !== undefined && { tool }) };
  return [withCall(state, id, { name }), [{ type: "tool.started", ids: { toolCallId: id }, payload }]];
}

/** What a reader of a call wants to know of its tool. */
function flagsOf(tool: EventData["tool_catalog_resolved"]["tools"][number]): JsonObject {
  const { is_read_only, is_concurrency_safe, is_destructive, interrupt_behavior, runtime_owner } = tool;
  return { is_read_only, is_concurrency_safe, is_destructive, interrupt_behavior, runtime_owner };
}

function askFor(state: FactState, event: Extract<AgentEvent, { type: "tool_call_done" }>): Moved {
  const { id, suspended, result } = event.data;
  if (suspended === undefined) return [state, []];
  const { ticket, suspension, binding_hash, expires_at } = suspended;
  const { id: actionId, action, message, parameters } = ticket.suspension;
  const payload = {
    actionType: action,
    toolName: result.tool_name,
    ...(message !== undefined && { prompt: message }),
    ...(parameters !== undefined && { parameters }),
    ...safeArguments(ticket.pending.arguments, refOf(event)),
    bindingHash: binding_hash,
    suspension,
    ...(expires_at !== undefined && { expiresAt: date(expires_at) }),
    ...(ticket.asked_by !== undefined && { requestedBy: ticket.asked_by }),
  };
  const ids = { toolCallId: id, actionId };
  return [withCall(state, id, { name: result.tool_name, actionId }), [{ type: "action.required", ids, payload }]];
}

function resolveAction(state: FactState, { target_id, result }: EventData["tool_call_resumed"]): Moved {
  const { actionId = target_id } = callOf(state, target_id, "");
  const reason = getAt(result, ["reason"]);
  const payload = {
    decision: String(getAt(result, ["action"]) ?? "resume"),
    isEdited: getAt(result, ["arguments"]) !== undefined,
    ...(typeof reason === "string" && { reason }),
  };
  const ids = { toolCallId: target_id, actionId };
  return [withCall(state, target_id, { approvalRef: actionId }), [{ type: "action.resolved", ids, payload }]];
}

function endCall(state: FactState, data: EventData["tool_call_done"]): Moved {
  const { [data.id]: _over, ...calls } = state.calls;
  const call = callOf(state, data.id, data.result.tool_name);
  const ids = { toolCallId: data.id };
  const ended = endedCall(call, data);
  const left = { ...state, calls };
  if (data.outcome === "succeeded") return [left, [{ type: "tool.result", ids, payload: ended }]];
  const failure = describeFailure(data.result);
  const status = failure.category === "interrupted" ? "interrupted" : data.outcome;
  const reason = call.cancelReason === undefined ? {} : { reason: call.cancelReason };
  return [left, [{ type: "tool.failed", ids, payload: { ...ended, ...failure, ...reason, status } }]];
}

const PROGRESS_OF = "tool_call:";

function describeActivity({ message_id, activity_type, content }: EventData["activity_snapshot"]): Told {
  if (message_id.startsWith(PROGRESS_OF) && activity_type === "tool-call-progress") {
    return { type: "tool.progress", ids: { toolCallId: message_id.slice(PROGRESS_OF.length) }, payload: { content } };
  }
  return {
    type: "artifact.changed",
    ids: { artifactId: message_id },
    payload: { artifactType: activity_type, content },
  };
}

function evaluate(state: FactState, fact: EventData["permission_evaluated"]): Moved {
  const { id, tool_id, decision, source, plugin, rule, scope, expires_at, decision_id } = fact;
  const said = {
    decision,
    decisionSource: source,
    plugin,
    ...(rule !== undefined && { ruleRef: rule }),
    ...(scope !== undefined && { scope }),
    ...(expires_at !== undefined && { expiresAt: date(expires_at) }),
    ...(decision_id !== undefined && { approvalRef: decision_id }),
  };
  const told: Told = { type: "permission.evaluated", ids: { toolCallId: id }, payload: { toolName: tool_id, ...said } };
  return [withCall(state, id, { name: tool_id, policy: said }), [told]];
}

function tellHook(state: FactState, fact: EventData["hook_completed"]): Moved {
  const { hook, point, id, tool_id, decision, reason, duration_ms } = fact;
  const said = {
    hook,
    point: `${point}_use`,
    decision,
    ...(reason !== undefined && { reason }),
    durationMs: duration_ms,
  };
  const { hooks = [] } = callOf(state, id, tool_id);
  const type = decision === "failed" ? "hook.failed" : "hook.completed";
  // A hook after the call has its fact; the call itself is over by then.
  const next = point === "pre_tool" ? withCall(state, id, { name: tool_id, hooks: [...hooks, said] }) : state;
  return [next, [{ type, ids: { toolCallId: id }, payload: said }]];
}

function describeContext(fact: ContextFact): JsonObject {
  const {
    contributions = [],
    refs = [],
    omissions = [],
    window_tokens,
    output_tokens,
    estimated_tokens,
    dropped_messages,
  } = fact;
  const of = (kind: string): readonly Json[] =>
    refs.filter((ref) => ref.kind === kind).map(({ kind: _kind, ...ref }) => ref);
  const window = {
    ...(window_tokens !== undefined && { windowTokens: window_tokens }),
    ...(output_tokens !== undefined && { outputTokens: output_tokens }),
    ...(estimated_tokens !== undefined && { estimatedTokens: estimated_tokens }),
  };
  const dropped =
    dropped_messages === undefined || dropped_messages === 0
      ? []
      : [{ kind: "session", reason: "window", messages: dropped_messages }];
  return {
    memoryRefs: of("memory"),
    knowledgeRefs: of("knowledge"),
    fileRefs: of("file"),
    instructionRefs: of("instruction"),
    browserRefs: of("browser"),
    sessionRefs: of("session"),
    policyFacts: contributions.map((each) => json(each)),
    omissions: [...omissions.map((each) => json(each)), ...dropped],
    ...(Object.keys(window).length > 0 && { window }),
  };
}

function describeRoute({
  requested,
  requirements,
  candidates,
  selected,
  reason,
  chain,
  rate,
  budget,
}: RouteFact): Told {
  const payload = {
    requested,
    requirements,
    candidates,
    ...(selected !== undefined && { selected }),
    reason,
    fallbackChain: chain.map((each) => json(each)),
    rateLimits: rate.map((each) => json(each)),
    ...(budget !== undefined && { budget: json(budget) }),
  };
  if (selected === undefined) return { type: "routing.not_possible", payload };
  if (candidates.length === 1) return { type: "routing.single_candidate", payload };
  return { type: chain[0]?.model === selected ? "routing.decided" : "routing.fallback.applied", payload };
}

function describeCost(fact: EventData["cost_recorded"]): Told {
  const {
    provider,
    model,
    attempt,
    outcome,
    cost_microcents,
    run_cost_microcents,
    priced,
    estimated = false,
    usage,
  } = fact;
  const payload = {
    provider,
    model,
    attempt,
    outcome,
    costMicrocents: cost_microcents,
    runCostMicrocents: run_cost_microcents,
    isPriced: priced,
    isEstimated: estimated,
    ...(usage !== undefined && { usage: json(usage) }),
  };
  return { type: "cost.recorded", payload };
}

function describeCompaction(
  fact: EventData["compaction_started" | "compaction_completed" | "compaction_failed"],
): JsonObject {
  const { compaction_id, trigger, through_message_id, messages, turns } = fact;
  return { compactionId: compaction_id, trigger, throughMessageId: through_message_id, messages, affectedTurns: turns };
}
