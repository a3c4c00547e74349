/** What a field of a payload holds. A `?` makes it optional. */
export type FactField = `${"string" | "number" | "boolean" | "object" | "array" | "any"}${"" | "?"}`;

export type FactType =
  | "turn.started"
  | "run.status"
  | "turn.completed"
  | "turn.failed"
  | "model.requested"
  | "model.delta"
  | "reasoning.delta"
  | "model.completed"
  | "tool.catalog.resolved"
  | "tool.started"
  | "tool.args"
  | "tool.progress"
  | "tool.result"
  | "tool.failed"
  | "action.required"
  | "action.resolved"
  | "permission.evaluated"
  | "hook.completed"
  | "hook.failed"
  | "context.resolved"
  | "context.compaction.started"
  | "context.compaction.completed"
  | "context.compaction.failed"
  | "routing.single_candidate"
  | "routing.decided"
  | "routing.fallback.applied"
  | "routing.not_possible"
  | "rate_limit.hit"
  | "quota.low"
  | "quota.blocked"
  | "cost.recorded"
  | "artifact.changed"
  | "policy.changed"
  | "snapshot.repaired"
  | "runtime.error";

/** The ids of an envelope beside those every fact has. */
export type FactId = "stepId" | "toolCallId" | "actionId" | "artifactId";

export interface FactShape {
  /** What the fact says. */
  readonly tells: string;
  readonly ids: readonly FactId[];
  readonly payload: Readonly<Record<string, FactField>>;
}

const CALL: readonly FactId[] = ["stepId", "toolCallId"];
const ROUTE: FactShape["payload"] = {
  requested: "string",
  requirements: "array",
  candidates: "array",
  selected: "string?",
  reason: "string",
  fallbackChain: "array",
  rateLimits: "array",
  budget: "object?",
};
const COMPACTION: FactShape["payload"] = {
  compactionId: "string",
  trigger: "string",
  throughMessageId: "string",
  messages: "number",
  affectedTurns: "array",
};
const BUDGET: FactShape["payload"] = { reason: "string", budget: "object" };
const HOOK: FactShape["payload"] = {
  hook: "string",
  point: "string",
  decision: "string",
  reason: "string?",
  durationMs: "number?",
};
const CALL_ENDED: FactShape["payload"] = {
  toolName: "string",
  status: "string",
  resultRef: "string",
  preview: "string",
  isTruncated: "boolean",
  images: "array?",
  artifacts: "array?",
  evidenceRefs: "array?",
  sandboxRefs: "array?",
  policy: "object?",
  approvalRef: "string?",
  hooks: "array?",
};

/**
 * Every fact of the encoding: what it says, the ids in its envelope, and its payload. The JSON Schema, the reference page and the types are
 * made of this table.
 */
export const FACTS: Readonly<Record<FactType, FactShape>> = {
  "turn.started": { tells: "A run began.", ids: [], payload: { parentRunId: "string?" } },
  "run.status": {
    tells:
      "How the run stands: `running` again after a pause, `blocked` while it waits for a decision, `cancelled`. With the reason `agent_handoff` another agent works on it: `agentId`, after `fromAgentId`.",
    ids: [],
    payload: { status: "string", reason: "string?", agentId: "string?", fromAgentId: "string?", handoff: "number?" },
  },
  "turn.completed": {
    tells: "The run ended. `reason` says why: `natural`, `behavior_requested` or `stopped:<code>`.",
    ids: [],
    payload: { reason: "string", detail: "string?", output: "object?" },
  },
  "turn.failed": {
    tells: "The run failed or was cancelled (`status`).",
    ids: [],
    payload: { status: "string", message: "string?", code: "string?" },
  },
  "model.requested": {
    tells: "A step began: the model is about to be asked.",
    ids: ["stepId"],
    payload: { messageId: "string" },
  },
  "model.delta": { tells: "The model wrote text.", ids: ["stepId"], payload: { text: "string" } },
  "reasoning.delta": {
    tells: "The model wrote reasoning that it shows.",
    ids: ["stepId"],
    payload: { text: "string" },
  },
  "model.completed": {
    tells: "The model has answered.",
    ids: ["stepId"],
    payload: { model: "string", usage: "object?", durationMs: "number" },
  },
  "tool.catalog.resolved": {
    tells: "The tools the model knows, with policy, owner and flags. Of a large catalogue only `toolsRef`.",
    ids: [],
    payload: { count: "number", digest: "string", tools: "array", toolsRef: "string?" },
  },
  "tool.started": {
    tells: "The model began to ask for a call.",
    ids: CALL,
    payload: { toolName: "string", tool: "object?" },
  },
  "tool.args": {
    tells:
      "The arguments of a call are complete. Large ones are left out; `argumentsRef` names the event that has them.",
    ids: CALL,
    payload: { toolName: "string", arguments: "any?", argumentsRef: "string" },
  },
  "tool.progress": { tells: "A call told how far it is.", ids: CALL, payload: { content: "any" } },
  "tool.result": { tells: "A call succeeded.", ids: CALL, payload: CALL_ENDED },
  "tool.failed": {
    tells:
      "A call failed, or never ran: `status` is `failed`, `cancelled` or `interrupted`, `category` says why, `advice` what to do about it.",
    ids: CALL,
    payload: { ...CALL_ENDED, category: "string", retryable: "boolean", advice: "string", reason: "string?" },
  },
  "action.required": {
    tells: "A person has to decide about a call, a budget or an answer.",
    ids: [...CALL, "actionId"],
    payload: {
      actionType: "string",
      toolName: "string",
      prompt: "string?",
      parameters: "any?",
      arguments: "any?",
      argumentsRef: "string",
      bindingHash: "string",
      suspension: "number",
      expiresAt: "string?",
      requestedBy: "string?",
    },
  },
  "action.resolved": {
    tells: "A decision was taken in. It is told whether arguments were edited, not to what.",
    ids: [...CALL, "actionId"],
    payload: { decision: "string", isEdited: "boolean", reason: "string?" },
  },
  "permission.evaluated": {
    tells: "The rules of a plugin were held against a call.",
    ids: CALL,
    payload: {
      toolName: "string",
      decision: "string",
      decisionSource: "string",
      plugin: "string",
      ruleRef: "string?",
      scope: "string?",
      expiresAt: "string?",
      approvalRef: "string?",
    },
  },
  "hook.completed": { tells: "A hook or a guardrail gave its opinion.", ids: ["stepId"], payload: HOOK },
  "hook.failed": { tells: "A hook gave no answer.", ids: ["stepId"], payload: HOOK },
  "context.resolved": {
    tells: "What the model was given to read, by reference, and what was left out.",
    ids: ["stepId"],
    payload: {
      memoryRefs: "array",
      knowledgeRefs: "array",
      fileRefs: "array",
      instructionRefs: "array",
      browserRefs: "array",
      sessionRefs: "array",
      policyFacts: "array",
      omissions: "array",
      window: "object?",
    },
  },
  "context.compaction.started": {
    tells: "Old messages are being summarised.",
    ids: [],
    payload: { ...COMPACTION, isInBackground: "boolean" },
  },
  "context.compaction.completed": {
    tells: "A summary stands for old messages.",
    ids: [],
    payload: { ...COMPACTION, summaryPreview: "string", continuationRefs: "array" },
  },
  "context.compaction.failed": {
    tells: "There is no summary.",
    ids: [],
    payload: { ...COMPACTION, reason: "string", error: "string?" },
  },
  "routing.single_candidate": { tells: "There was one model, and it answered.", ids: ["stepId"], payload: ROUTE },
  "routing.decided": { tells: "The first choice among several models answered.", ids: ["stepId"], payload: ROUTE },
  "routing.fallback.applied": {
    tells: "Another model than the first choice answered.",
    ids: ["stepId"],
    payload: ROUTE,
  },
  "routing.not_possible": { tells: "No model answered.", ids: ["stepId"], payload: ROUTE },
  "rate_limit.hit": {
    tells: "No model can be asked before `until`.",
    ids: ["stepId"],
    payload: { until: "string", reason: "string" },
  },
  "quota.low": { tells: "A budget is nearly spent.", ids: [], payload: BUDGET },
  "quota.blocked": { tells: "A budget is spent.", ids: [], payload: BUDGET },
  "cost.recorded": {
    tells: "What one attempt at an inference cost, in millionths of a cent.",
    ids: ["stepId"],
    payload: {
      provider: "string",
      model: "string",
      attempt: "number",
      outcome: "string",
      costMicrocents: "number",
      runCostMicrocents: "number",
      isPriced: "boolean",
      isEstimated: "boolean",
      usage: "object?",
    },
  },
  "artifact.changed": {
    tells: "The model or a plugin showed something that is not text.",
    ids: ["artifactId"],
    payload: { artifactType: "string", content: "any" },
  },
  "policy.changed": {
    tells: "The definition of the agent changed while the run was away.",
    ids: [],
    payload: { agentId: "string", from: "string", to: "string" },
  },
  "snapshot.repaired": {
    tells: "Facts are withdrawn: those after `fromSequence`, or those of the step with this message.",
    ids: [],
    payload: { fromSequence: "number?", messageId: "string?" },
  },
  "runtime.error": { tells: "Why the run is about to fail.", ids: [], payload: { message: "string", code: "string?" } },
};

export const FACT_TYPES: readonly FactType[] = Object.keys(FACTS) as FactType[];
