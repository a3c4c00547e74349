import { type AgentEvent, ERRORS, type ErrorCode, type EventData, type Termination } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { WorkflowEncoded, WorkflowEncoderState } from "./encoder-state.ts";
import { attemptField, turnBody, type WorkflowBody } from "./turn-fields.ts";
import type { WorkflowEvent } from "./workflow-event.ts";

type Moved = readonly [state: WorkflowEncoderState, bodies: readonly WorkflowBody[]];

/**
 * One event of a workflow run as the events with colons that a client gets of it. Pure: the same state and event always give the same, so a stream
 * can be taken up anywhere by going through the run's events from their start. A run that is no workflow has none.
 */
export function encodeWorkflowEvent(state: WorkflowEncoderState, event: AgentEvent): WorkflowEncoded {
  // The runs below have streams of their own.
  if (state.phase === "finished" || state.phase === "withdrawn" || event.lineage !== undefined) return [state, []];
  if (state.phase === "unknown" && event.type !== "workflow_start") return [state, []];
  const [moved, bodies] = advance(state, event);
  if (bodies.length === 0) return [moved, []];
  const timestamp = new Date(event.timestamp_ms).toISOString();
  const events = bodies.map(
    ([type, fields], index): WorkflowEvent => ({
      type,
      runId: event.run_id,
      timestamp,
      sequenceNumber: state.sequence + index + 1,
      ...fields,
    }),
  );
  return [{ ...moved, sequence: state.sequence + events.length }, events];
}

function advance(state: WorkflowEncoderState, event: AgentEvent): Moved {
  switch (event.type) {
    case "workflow_start":
      return startRun(state, event);
    case "node_start":
      return startNode(state, event.data);
    case "node_delta":
    case "node_reasoning_delta":
    case "node_tool_call":
    case "node_tool_result":
      return [state, [turnBody(event)]];
    case "node_cost":
      return [addCost(state, event.data), [turnBody(event)]];
    case "node_end":
      return endNode(state, event.data);
    case "node_retry": {
      const { node_id: nodeId, attempt, error, delay_ms: delayMs } = event.data;
      return [state, [["node:retrying", { nodeId, attemptNumber: attempt, error: { ...error }, delayMs }]]];
    }
    case "node_wait":
      return pauseNode(state, event);
    case "node_resume":
      return resumeNode(state, event.data);
    case "budget_warning":
      return [state, warnOfBudget(event.data)];
    case "run_finish":
      return finishRun(state, event);
    case "stream_reset":
      // The response ends without a terminal event, and the client reads the run anew.
      return [{ ...state, phase: "withdrawn" }, []];
    // The nodes say it in their own words. The answer of the run is its outputs.
    case "run_start":
    case "text_delta":
    case "reasoning_delta":
    case "reasoning_encrypted_value":
    case "tool_call_start":
    case "tool_call_delta":
    case "tool_call_ready":
    case "tool_call_done":
    case "tool_call_resumed":
    case "tool_call_cancelled":
    case "step_start":
    case "step_end":
    case "step_reset":
    case "child_run_start":
    case "child_run_progress":
    case "inference_complete":
    case "state_delta":
    case "activity_snapshot":
    case "agent_handoff":
    case "error":
    case "context_resolved":
    case "model_routed":
    case "model_waiting":
    case "definition_changed":
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

function startRun(
  state: WorkflowEncoderState,
  { data, timestamp_ms }: Extract<AgentEvent, { type: "workflow_start" }>,
): Moved {
  // A run continues under its first number after every restart.
  if (state.phase === "open") return [state, []];
  const { workflow_id: workflowId, inputs, timeout_ms } = data;
  const begun: WorkflowEncoderState = {
    ...state,
    phase: "open",
    startedAt: timestamp_ms,
    ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
  };
  return [begun, [["run:started", { workflowId, inputs, executionMode: "local" }]]];
}

function startNode(state: WorkflowEncoderState, data: EventData["node_start"]): Moved {
  const { node_id: nodeId, node_type: nodeType, attempt: attemptNumber } = data;
  const isNew = nodeType === "output" && !state.outputNodes.includes(nodeId);
  const begun = isNew ? { ...state, outputNodes: [...state.outputNodes, nodeId] } : state;
  return [begun, [["node:started", { nodeId, nodeType, attemptNumber }]]];
}

function addCost(state: WorkflowEncoderState, data: EventData["node_cost"]): WorkflowEncoderState {
  const { input, output } = state.tokens;
  const tokens = { input: input + data.input_tokens, output: output + data.output_tokens };
  return { ...state, tokens, costMicrocents: Math.max(state.costMicrocents, data.cumulative_cost_microcents) };
}

function endNode(state: WorkflowEncoderState, data: EventData["node_end"]): Moved {
  const { node_id: nodeId, outcome, attempt, error, reason = "upstream_unreachable" } = data;
  const settled = forget(state, nodeId);
  switch (outcome) {
    case "skipped":
      return [settled, [["node:skipped", { nodeId, reason }]]];
    case "failed":
      return [settled, [["node:failed", { nodeId, error: { ...error }, ...attemptField(attempt) }]]];
    case "completed":
      return completeNode(state, settled, data);
    default:
      return outcome satisfies never;
  }
}

function completeNode(before: WorkflowEncoderState, settled: WorkflowEncoderState, data: EventData["node_end"]): Moved {
  const { node_id: nodeId, output = null, tokens, duration_ms, selected, attempt } = data;
  const isOutput = before.outputNodes.includes(nodeId);
  const fields: JsonObject = {
    nodeId,
    output,
    ...(tokens !== undefined && { tokensUsed: { ...tokens } }),
    ...(duration_ms !== undefined && { durationMs: duration_ms }),
    ...(selected !== undefined && { selected }),
    ...attemptField(attempt),
    cumulativeCostMicrocents: settled.costMicrocents,
  };
  const done = isOutput ? { ...settled, outputs: { ...settled.outputs, [nodeId]: output } } : settled;
  return [done, [["node:completed", fields]]];
}

/** A node that is over waits for nothing. */
function forget(state: WorkflowEncoderState, nodeId: string): WorkflowEncoderState {
  const isKnown =
    Object.hasOwn(state.gates, nodeId) || state.outputNodes.includes(nodeId) || state.mediaJobs.includes(nodeId);
  if (!isKnown) return state;
  const { [nodeId]: _gate, ...gates } = state.gates;
  const others = (id: string): boolean => id !== nodeId;
  return {
    ...state,
    gates,
    outputNodes: state.outputNodes.filter(others),
    mediaJobs: state.mediaJobs.filter(others),
  };
}

function pauseNode(
  state: WorkflowEncoderState,
  { data, timestamp_ms }: Extract<AgentEvent, { type: "node_wait" }>,
): Moved {
  const { node_id: nodeId, wait, call_id: gateId } = data;
  switch (wait) {
    case "gate":
    case "unknown_outcome": {
      const paused = { ...state, gates: { ...state.gates, [nodeId]: gateId } };
      if (data.gate_type === "budget") return [paused, [["budget:paused", budgetFields(state, data)]]];
      return [paused, [["human_gate:paused", gateFields(data, timestamp_ms)]]];
    }
    case "media_job": {
      const mediaJobs = [...state.mediaJobs.filter((id) => id !== nodeId), nodeId];
      const { job_id: jobId = gateId, model } = data;
      const submitted = { nodeId, jobId, ...(model !== undefined && { model }) };
      // The same job is waited for again and again until it is done.
      if (state.mediaJobs.includes(nodeId)) return [state, []];
      return [{ ...state, mediaJobs }, [["media_job:submitted", submitted]]];
    }
    // The encoding has no words for these: `run:paused` says that the run waits.
    case "sleep":
    case "event":
    case "run":
      return [state, []];
    default:
      return wait satisfies never;
  }
}

function gateFields(data: EventData["node_wait"], now: number): JsonObject {
  const { node_id: nodeId, call_id: gateId, wait, gate_type, message = "", assignee } = data;
  const { timeout_action: timeoutAction, expires_at } = data;
  return {
    nodeId,
    gateId,
    gateType: gate_type ?? (wait === "unknown_outcome" ? "unknown_outcome" : "approval"),
    message,
    ...(assignee !== undefined && { assignee }),
    ...(expires_at !== undefined && {
      timeoutMs: Math.max(expires_at - now, 0),
      expiresAt: new Date(expires_at).toISOString(),
    }),
    ...(timeoutAction !== undefined && { timeoutAction }),
  };
}

function budgetFields({ costMicrocents }: WorkflowEncoderState, data: EventData["node_wait"]): JsonObject {
  const { node_id: nodeId, call_id: gateId, spent_microcents: spent = costMicrocents, limit_microcents: limit } = data;
  return { nodeId, gateId, spentMicrocents: spent, ...(limit !== undefined && { limitMicrocents: limit }) };
}

function resumeNode(state: WorkflowEncoderState, data: EventData["node_resume"]): Moved {
  const { node_id: nodeId, wait, result, decided_by } = data;
  const gateId = Object.hasOwn(state.gates, nodeId) ? state.gates[nodeId] : undefined;
  if ((wait !== "gate" && wait !== "unknown_outcome") || gateId === undefined) return [state, []];
  const { [nodeId]: _gate, ...gates } = state.gates;
  const decision = data.decision ?? (result === undefined ? "approved" : "input_provided");
  const fields: JsonObject = {
    nodeId,
    gateId,
    decision,
    ...(decided_by !== undefined && { decidedBy: decided_by }),
    ...(result !== undefined && { payload: result }),
  };
  return [{ ...state, gates }, [["human_gate:resumed", fields]]];
}

function warnOfBudget({ spent_microcents, limit_microcents }: EventData["budget_warning"]): readonly WorkflowBody[] {
  if (limit_microcents === null) return [];
  const thresholdPct = limit_microcents === 0 ? 100 : Math.floor((spent_microcents / limit_microcents) * 100);
  const spent = { spentMicrocents: spent_microcents, limitMicrocents: limit_microcents };
  return [["budget:warning", { ...spent, thresholdPct }]];
}

function finishRun(
  state: WorkflowEncoderState,
  { data, timestamp_ms }: Extract<AgentEvent, { type: "run_finish" }>,
): Moved {
  const { termination } = data;
  const durationMs = Math.max(timestamp_ms - state.startedAt, 0);
  const over: WorkflowEncoderState = { ...state, phase: "finished" };
  switch (termination.type) {
    case "suspended":
      return [state, [["run:paused", pauseFields(state)]]];
    case "natural_end":
    case "behavior_requested": {
      const { outputs, tokens, costMicrocents } = state;
      const total = { totalTokensUsed: { ...tokens }, totalCostMicrocents: costMicrocents, durationMs };
      return [over, [["run:completed", { outputs: { ...outputs }, ...total }]]];
    }
    case "cancelled":
      return [over, [["run:cancelled", reasonFields(termination.detail)]]];
    case "stopped":
      return [over, [["run:cancelled", reasonFields(termination.value.code)]]];
    case "error":
      return [over, failureOf(state, termination, durationMs)];
    default:
      return termination satisfies never;
  }
}

function pauseFields({ gates, mediaJobs }: WorkflowEncoderState): JsonObject {
  const gateIds = Object.values(gates);
  return {
    pendingGateCount: gateIds.length,
    gateIds,
    ...(mediaJobs.length > 0 && { pendingMediaJobNodeIds: mediaJobs }),
  };
}

function reasonFields(reason: string | undefined): JsonObject {
  return reason === undefined ? {} : { reason };
}

/** A failure of a node says it itself. One of the runtime has a code of its catalogue. */
function isRetryable({ retryable, code = "INTERNAL" }: Extract<Termination, { type: "error" }>): boolean {
  return retryable ?? (Object.hasOwn(ERRORS, code) && ERRORS[code as ErrorCode].retryable);
}

function failureOf(
  { outputs, timeoutMs }: WorkflowEncoderState,
  termination: Extract<Termination, { type: "error" }>,
  elapsedMs: number,
): readonly WorkflowBody[] {
  const { value: message, code = "internal" } = termination;
  const error = { code, message, retryable: isRetryable(termination) };
  const failed: WorkflowBody = ["run:failed", { error, partialOutputs: { ...outputs } }];
  if (code !== "run_timeout") return [failed];
  return [["run:timeout", { elapsedMs, ...(timeoutMs !== undefined && { timeoutMs }) }], failed];
}
