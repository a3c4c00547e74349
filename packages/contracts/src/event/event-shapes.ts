import type { EventType } from "./event-data.ts";

/** The type of a field. `json` is any value; the content of `object` and `array` is not checked. A `?` makes the field optional. */
export type FieldShape =
  `${"string" | "number" | "number or null" | "boolean" | "object" | "array" | "json"}${"" | "?"}`;

type EventShape = Readonly<Record<string, FieldShape>>;

const BUDGET: EventShape = {
  limit_microcents: "number or null",
  limit_tokens: "number or null",
  spent_microcents: "number",
  spent_tokens: "number",
  reserved_microcents: "number",
  reserved_tokens: "number",
};

const COMPACTION: EventShape = {
  compaction_id: "string",
  trigger: "string",
  through_message_id: "string",
  messages: "number",
  turns: "array",
};

/** The fields of each event's data. The decoder and the JSON Schema are both made of this table. */
export const EVENT_SHAPES: Readonly<Record<EventType, EventShape>> = {
  run_start: { parent_run_id: "string?" },
  run_finish: { result: "object?", termination: "object", spent: "object?" },
  text_delta: { delta: "string" },
  reasoning_delta: { delta: "string" },
  reasoning_encrypted_value: { encrypted_value: "string" },
  tool_call_start: { id: "string", name: "string" },
  tool_call_delta: { id: "string", args_delta: "string" },
  tool_call_ready: { id: "string", name: "string", arguments: "json" },
  tool_call_done: {
    id: "string",
    result: "object",
    patch: "object?",
    message_id: "string",
    outcome: "string",
    suspended: "object?",
  },
  tool_call_resumed: { target_id: "string", result: "json" },
  tool_call_cancelled: { id: "string", reason: "string" },
  step_start: { message_id: "string" },
  step_end: {},
  step_reset: { message_id: "string" },
  stream_reset: { from_seq: "number" },
  child_run_start: {
    id: "string",
    child_run_id: "string",
    child_thread_id: "string",
    agent_id: "string",
    depth: "number",
    background: "boolean?",
  },
  child_run_progress: {
    id: "string",
    child_run_id: "string",
    agent_id: "string",
    status: "string",
    step: "number",
    tool: "string?",
    input_tokens: "number",
    output_tokens: "number",
    cost_microcents: "number?",
  },
  inference_complete: { model: "string", usage: "object?", duration_ms: "number" },
  state_delta: { delta: "array" },
  activity_snapshot: { message_id: "string", activity_type: "string", content: "json", replace: "boolean?" },
  error: { message: "string", code: "string?" },
  context_resolved: {
    contributions: "array?",
    refs: "array?",
    omissions: "array?",
    window_tokens: "number?",
    output_tokens: "number?",
    estimated_tokens: "number?",
    estimated_by: "string?",
    dropped_messages: "number?",
    previewed_messages: "number?",
  },
  model_routed: {
    requested: "string",
    requirements: "array",
    candidates: "array",
    selected: "string?",
    reason: "string",
    rate: "array",
    budget: "object?",
    chain: "array",
  },
  model_waiting: { until: "number", reason: "string" },
  definition_changed: { agent_id: "string", from: "string", to: "string" },
  agent_handoff: { from: "string", to: "string", number: "number" },
  budget_warning: { reason: "string", ...BUDGET },
  cost_recorded: {
    provider: "string",
    model: "string",
    attempt: "number",
    plugin: "string?",
    outcome: "string",
    error: "string?",
    usage: "object?",
    estimated: "boolean?",
    cost_microcents: "number",
    run_cost_microcents: "number",
    priced: "boolean",
  },
  permission_evaluated: {
    id: "string",
    tool_id: "string",
    decision: "string",
    plugin: "string",
    source: "string",
    rule: "string?",
    scope: "string?",
    expires_at: "number?",
    decision_id: "string?",
    remember: "string?",
  },
  compaction_started: { ...COMPACTION, background: "boolean", estimated_tokens: "number" },
  compaction_completed: {
    ...COMPACTION,
    summary_preview: "string",
    original_tokens: "number",
    summary_tokens: "number",
    continuation_refs: "array",
  },
  compaction_failed: { ...COMPACTION, reason: "string", error: "string?" },
  guardrail_tripped: {
    guardrail: "string",
    position: "string",
    action: "string",
    message_id: "string?",
    reason: "string?",
  },
  hook_completed: {
    hook: "string",
    point: "string",
    id: "string",
    tool_id: "string",
    decision: "string",
    reason: "string?",
    duration_ms: "number",
  },
  tool_catalog_resolved: { count: "number", digest: "string", tools: "array", tools_ref: "string?" },
};

export const EVENT_TYPES: readonly EventType[] = Object.keys(EVENT_SHAPES) as EventType[];

/** Whether events of a type have a place in the journal. The others are made by the stream of each reader. */
export function isJournaled(type: EventType): boolean {
  return type !== "stream_reset" && type !== "child_run_progress";
}
