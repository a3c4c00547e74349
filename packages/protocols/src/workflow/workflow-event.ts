import type { Json, JsonObject } from "@reprise/state";

/** What a field holds. A `?` makes it optional. */
export type WorkflowField = `${"string" | "number" | "boolean" | "object" | "array" | "any"}${"" | "?"}`;

export interface WorkflowShape {
  /** What the event says. */
  readonly tells: string;
  /** Whether it is about a session instead of a run. */
  readonly scope: "run" | "session" | "both";
  readonly fields: Readonly<Record<string, WorkflowField>>;
}

const GATE: WorkflowShape["fields"] = { nodeId: "string", gateId: "string" };

/** The types of the events. */
export type WorkflowEventType =
  | "run:started"
  | "node:started"
  | "agent:token"
  | "agent:reasoning"
  | "agent:tool_call"
  | "agent:tool_result"
  | "agent:approval_requested"
  | "cost:updated"
  | "node:completed"
  | "node:failed"
  | "node:skipped"
  | "node:retrying"
  | "human_gate:paused"
  | "human_gate:resumed"
  | "budget:warning"
  | "budget:paused"
  | "media_job:submitted"
  | "run:paused"
  | "run:timeout"
  | "run:completed"
  | "run:failed"
  | "run:cancelled"
  | "session:started"
  | "session:turn_started"
  | "session:turn_completed"
  | "session:trimmed"
  | "session:cancelled"
  | "session:exported";

/** Every event of the encoding. The JSON Schema and the reference page are made of it. */
export const WORKFLOW_EVENTS: Readonly<Record<WorkflowEventType, WorkflowShape>> = {
  "run:started": {
    tells: "A run of a workflow began. Secret inputs are masked.",
    scope: "run",
    fields: { workflowId: "string", inputs: "any", executionMode: "string" },
  },
  "node:started": {
    tells: "A node began. `attemptNumber` counts its dispatches.",
    scope: "run",
    fields: { nodeId: "string", nodeType: "string", attemptNumber: "number" },
  },
  "agent:token": {
    tells: "The model wrote text.",
    scope: "both",
    fields: { nodeId: "string", token: "string", model: "string" },
  },
  "agent:reasoning": {
    tells: "The model wrote reasoning that it shows.",
    scope: "both",
    fields: { nodeId: "string", text: "string", model: "string" },
  },
  "agent:tool_call": {
    tells: "The model called a tool. `attemptNumber` counts the attempts of the chain, not the dispatches of the node.",
    scope: "both",
    fields: { nodeId: "string", model: "string", toolId: "string", toolInput: "any", attemptNumber: "number?" },
  },
  "agent:tool_result": {
    tells: "The tool answered.",
    scope: "both",
    fields: {
      nodeId: "string",
      toolId: "string",
      success: "boolean",
      outputSummary: "string",
      attemptNumber: "number?",
    },
  },
  "agent:approval_requested": {
    tells: "A tool call waits until the host approves it.",
    scope: "session",
    fields: { nodeId: "string", toolId: "string", preview: "string" },
  },
  "cost:updated": {
    tells: "An attempt at a model has a cost. Entries that were skipped have none.",
    scope: "both",
    fields: {
      nodeId: "string",
      model: "string",
      inputTokens: "number",
      outputTokens: "number",
      costMicrocents: "number",
      cumulativeCostMicrocents: "number",
      attemptNumber: "number",
      priced: "boolean",
    },
  },
  "node:completed": {
    tells: "A node is done.",
    scope: "run",
    fields: {
      nodeId: "string",
      output: "any",
      tokensUsed: "object?",
      durationMs: "number?",
      selected: "any?",
      attemptNumber: "number?",
      cumulativeCostMicrocents: "number",
    },
  },
  "node:failed": {
    tells: "A node failed for good.",
    scope: "run",
    fields: { nodeId: "string", error: "object", attemptNumber: "number?" },
  },
  "node:skipped": {
    tells: "A node is not executed: `branch_not_taken` or `upstream_unreachable`.",
    scope: "run",
    fields: { nodeId: "string", reason: "string" },
  },
  "node:retrying": {
    tells: "A node failed and is dispatched again after a pause.",
    scope: "run",
    fields: { nodeId: "string", attemptNumber: "number", error: "object", delayMs: "number" },
  },
  "human_gate:paused": {
    tells: "A node waits for a person.",
    scope: "run",
    fields: {
      ...GATE,
      gateType: "string",
      message: "string",
      assignee: "string?",
      timeoutMs: "number?",
      timeoutAction: "string?",
      expiresAt: "string?",
    },
  },
  "human_gate:resumed": {
    tells: "A person decided, or the time of the gate was up.",
    scope: "run",
    fields: { ...GATE, decision: "string", decidedBy: "string?", payload: "any?" },
  },
  "budget:warning": {
    tells: "The budget of the run is nearly spent, or spent.",
    scope: "run",
    fields: { spentMicrocents: "number", limitMicrocents: "number", thresholdPct: "number" },
  },
  "budget:paused": {
    tells: "The budget of the run is spent, and a node waits for more.",
    scope: "run",
    fields: { ...GATE, spentMicrocents: "number", limitMicrocents: "number?" },
  },
  "media_job:submitted": {
    tells: "A provider makes media, and is asked again later.",
    scope: "run",
    fields: { nodeId: "string", jobId: "string", model: "string?" },
  },
  "run:paused": {
    tells: "Everything that the run waits for comes from outside.",
    scope: "run",
    fields: { pendingGateCount: "number", gateIds: "array", pendingMediaJobNodeIds: "array?" },
  },
  "run:timeout": {
    tells: "The time of the run is up. `run:failed` follows.",
    scope: "run",
    fields: { elapsedMs: "number", timeoutMs: "number?" },
  },
  "run:completed": {
    tells: "The run is done. `outputs` are those of its output nodes, by their ids.",
    scope: "run",
    fields: { outputs: "object", totalTokensUsed: "object", totalCostMicrocents: "number", durationMs: "number" },
  },
  "run:failed": {
    tells: "The run failed.",
    scope: "run",
    fields: { error: "object", partialOutputs: "object" },
  },
  "run:cancelled": { tells: "The run was cancelled.", scope: "run", fields: { reason: "string?" } },
  "session:started": { tells: "A session began.", scope: "session", fields: { agentId: "string", model: "string" } },
  "session:turn_started": { tells: "A turn began.", scope: "session", fields: { turn: "number" } },
  "session:turn_completed": {
    tells: "A turn ended: `end_turn`, `max_tokens`, `stop_sequence`, `aborted` or `error`.",
    scope: "session",
    fields: { turn: "number", stopReason: "string", tokensUsed: "object", error: "object?" },
  },
  "session:trimmed": {
    tells: "The oldest turns are no longer sent to the model.",
    scope: "session",
    fields: { messages: "number" },
  },
  "session:cancelled": { tells: "The session ended.", scope: "session", fields: {} },
  "session:exported": { tells: "The session was exported.", scope: "session", fields: { workflowId: "string" } },
};

export const WORKFLOW_EVENT_TYPES: readonly WorkflowEventType[] = Object.keys(WORKFLOW_EVENTS) as WorkflowEventType[];

/** The events after which no other follows. */
export const WORKFLOW_TERMINALS: readonly WorkflowEventType[] = ["run:completed", "run:failed", "run:cancelled"];

/** One event: its envelope, and the fields of its type. It has a `runId` or a `sessionId`. */
export interface WorkflowEvent {
  readonly type: WorkflowEventType;
  readonly runId?: string;
  readonly sessionId?: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Counts up by one from 1. */
  readonly sequenceNumber: number;
  readonly [field: string]: Json | undefined;
}

/** JSON Schema (2020-12) of one event. */
export function workflowEventSchema(): JsonObject {
  const id = { type: "string", minLength: 1 };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "WorkflowEvent",
    type: "object",
    required: ["type", "timestamp", "sequenceNumber"],
    properties: {
      type: { enum: WORKFLOW_EVENT_TYPES },
      timestamp: { type: "string", format: "date-time" },
      sequenceNumber: { type: "integer", minimum: 1 },
    },
    oneOf: [
      { required: ["runId"], properties: { runId: id } },
      { required: ["sessionId"], properties: { sessionId: id } },
    ],
    unevaluatedProperties: false,
    allOf: WORKFLOW_EVENT_TYPES.map((type) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema, and this object is never awaited.
      then: fieldsSchema(WORKFLOW_EVENTS[type].fields),
    })),
  };
}

function fieldsSchema(shape: WorkflowShape["fields"]): JsonObject {
  const fields = Object.entries(shape);
  return {
    required: fields.filter(([, field]) => !field.endsWith("?")).map(([name]) => name),
    properties: Object.fromEntries(fields.map(([name, field]): [string, Json] => [name, fieldSchema(field)])),
  };
}

function fieldSchema(field: WorkflowField): Json {
  const kind = field.replace("?", "");
  return kind === "any" ? {} : { type: kind };
}
