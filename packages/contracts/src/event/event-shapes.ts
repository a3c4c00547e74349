import type { EventType } from "./event-data.ts";

/** What a field holds. `json` is anything; `object` and `array` are not looked into. A `?` makes it optional. */
export type FieldShape = `${"string" | "number" | "boolean" | "object" | "array" | "json"}${"" | "?"}`;

const FACT: Readonly<Record<string, FieldShape>> = {};

/** The fields of each event's data. The decoder and the JSON Schema are both made of this table. */
export const EVENT_SHAPES: Readonly<Record<EventType, Readonly<Record<string, FieldShape>>>> = {
  run_start: { parent_run_id: "string?" },
  run_finish: { result: "object?", termination: "object" },
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
  inference_complete: { model: "string", usage: "object?", duration_ms: "number" },
  state_snapshot: { snapshot: "json" },
  state_delta: { delta: "array" },
  messages_snapshot: { messages: "array" },
  activity_snapshot: { message_id: "string", activity_type: "string", content: "json", replace: "boolean?" },
  activity_delta: { message_id: "string", activity_type: "string", patch: "array" },
  error: { message: "string", code: "string?" },
  tool_catalog_resolved: FACT,
  context_resolved: FACT,
  compaction_started: FACT,
  compaction_completed: FACT,
  compaction_failed: FACT,
  model_routed: FACT,
  permission_evaluated: FACT,
  definition_changed: FACT,
  budget_warning: FACT,
  cost_recorded: FACT,
};

export const EVENT_TYPES: readonly EventType[] = Object.keys(EVENT_SHAPES) as EventType[];

/** The one event without a place in the journal. */
export function isJournaled(type: EventType): boolean {
  return type !== "stream_reset";
}
