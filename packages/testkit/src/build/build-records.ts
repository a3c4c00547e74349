import type { AgentEvent, Decision, Message, NewEntry, RunRecord, ToolCallRecord } from "@reprise/contracts";
import type { Json, TrackedPatch } from "@reprise/state";

const TIME = 1_750_000_000_000;

/** A running run. */
export function buildRun(overrides: Partial<RunRecord> = {}): RunRecord {
  return {
    run_id: "run-1",
    thread_id: "thread-1",
    agent_id: "agent-1",
    origin: "user",
    status: "running",
    input_tokens: 0,
    output_tokens: 0,
    steps: 0,
    base_version: 0,
    last_seq: 0,
    recoveries: 0,
    created_at: TIME,
    updated_at: TIME,
    ...overrides,
  };
}

/** A call that has not been suspended. */
export function buildCall(overrides: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return {
    call_id: "call-1",
    run_id: "run-1",
    thread_id: "thread-1",
    step_id: "step-1",
    tool_id: "tool-1",
    tool_version: "1",
    arguments: {},
    status: "running",
    suspension: 0,
    binding_hash: "hash-1",
    updated_at: TIME,
    ...overrides,
  };
}

export function buildMessage(id: string, overrides: Partial<Message> = {}): Message {
  return { id, role: "user", content: `text of ${id}`, ...overrides };
}

/** A patch that sets one key of the document. */
export function buildPatch(id: string, key: string, value: Json): TrackedPatch {
  return { id, ops: [{ op: "set", path: [key], value }] };
}

/** Events of a run, `count` of them, the first with `seq` `from`. */
export function buildEvents(
  run: { readonly run_id: string; readonly thread_id: string },
  from: number,
  count: number,
): readonly AgentEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "text_delta",
    run_id: run.run_id,
    thread_id: run.thread_id,
    seq: from + index,
    timestamp_ms: TIME,
    data: { delta: `${from + index} ` },
  }));
}

/** An entry that asks for a run. The run and the request get ids that fit the entry's. */
export function buildEntry(overrides: Partial<NewEntry> = {}): NewEntry {
  const entryId = overrides.entry_id ?? "entry-1";
  return {
    entry_id: entryId,
    thread_id: "thread-1",
    run_id: `run-of-${entryId}`,
    request: { agent_id: "agent-1", messages: [] },
    busy_policy: "enqueue",
    priority: 0,
    ...overrides,
  };
}

/** An approval of a call's first suspension. */
export function buildDecision(overrides: Partial<Decision> = {}): Decision {
  return {
    decision_id: "decision-1",
    run_id: "run-1",
    call_id: "call-1",
    suspension: 1,
    action: "resume",
    updated_at: TIME,
    ...overrides,
  };
}
