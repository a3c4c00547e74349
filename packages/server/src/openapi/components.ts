import { RUN_ORIGINS, TOOL_OWNERS } from "@reprise/contracts";
import { EVAL_COMPONENTS, type EvalComponentName } from "./eval-components.ts";
import type { JsonSchema } from "./operation.ts";
import { ref } from "./ref.ts";
import {
  ANYTHING,
  anyOf,
  COUNT,
  FLAG,
  listOf,
  NUMBER,
  OBJECT,
  objectOf,
  oneOf,
  orNull,
  TEXT,
  TIME,
} from "./schema-words.ts";

const TIMES = { created_at: TIME, updated_at: TIME };
const AMOUNT = objectOf({ microcents: COUNT, tokens: COUNT }, { tool_calls: COUNT });
const RESERVATION = objectOf(
  { run_id: TEXT, epoch: COUNT, microcents: COUNT, tokens: COUNT },
  { tool_calls: COUNT, allotment: TEXT },
);
const ALLOTMENT = objectOf(
  {
    given_by: TEXT,
    limit_microcents: orNull(COUNT),
    limit_tokens: orNull(COUNT),
    limit_tool_calls: orNull(COUNT),
    spent: AMOUNT,
    held: FLAG,
  },
  { above: TEXT },
);

const RUN_FIELDS = [
  {
    run_id: TEXT,
    thread_id: TEXT,
    agent_id: orNull(TEXT),
    origin: oneOf(...RUN_ORIGINS),
    status: oneOf("queued", "running", "waiting", "done"),
    metadata: orNull(OBJECT),
    ...TIMES,
  },
  {
    parent_run_id: TEXT,
    parent_call_id: TEXT,
    background: FLAG,
    parent_thread_id: TEXT,
    resource_id: TEXT,
    termination_code: TEXT,
    termination_detail: TEXT,
    error_code: TEXT,
    model_wait: objectOf({
      since: TIME,
      until: TIME,
      reason: oneOf("rate_limited", "cooling_down", "breaker_open"),
    }),
    awaits_runs: FLAG,
    agent_path: listOf(TEXT),
    handoff: objectOf({ agent_id: TEXT }, { message: TEXT }),
    depth: COUNT,
    root_run_id: TEXT,
    heeds: objectOf({ run_id: TEXT }, { root_run_id: TEXT }),
    has_children: FLAG,
    source_mailbox_entry_id: TEXT,
    input_tokens: COUNT,
    output_tokens: COUNT,
    cost_microcents: COUNT,
    is_unpriced: FLAG,
    total: ref("Spending"),
    budget_id: TEXT,
    allotment_id: TEXT,
    counts_calls: FLAG,
    deadline_at: COUNT,
    steps: COUNT,
    base_version: COUNT,
    last_seq: COUNT,
    recoveries: COUNT,
    attempts: COUNT,
    definition: TEXT,
    policy: OBJECT,
    overrides: OBJECT,
  },
] as const;

const nodeError = objectOf({ code: TEXT, message: TEXT, retryable: FLAG }, { node_id: TEXT });

const node = objectOf(
  {
    node_id: { ...TEXT, description: "The node's id with the bodies it stands in: `files[2].summarise`" },
    status: oneOf("running", "waiting", "completed", "failed", "skipped"),
    attempt: COUNT,
    started_at: TIME,
  },
  {
    output: { ...ANYTHING, description: 'A large one is `{ "$blob": …, "bytes": … }`' },
    selected: ANYTHING,
    error: nodeError,
    reason: oneOf("branch_not_taken", "upstream_unreachable"),
    calls: listOf(objectOf({ id: TEXT, tool_id: TEXT })),
    wait: objectOf({ type: TEXT, call_id: TEXT }),
    count: COUNT,
    iterations: COUNT,
    job: OBJECT,
  },
);

const question = objectOf(
  { call_id: TEXT, action: TEXT },
  { node_id: TEXT, message: TEXT, assignee: TEXT, response_schema: OBJECT, expires_at: TIME },
);

const part = anyOf(
  objectOf({ type: oneOf("text"), text: TEXT }),
  objectOf({ type: oneOf("reasoning"), text: TEXT }, { encrypted: TEXT, provider: TEXT }),
  objectOf({ type: oneOf("image", "file"), url: TEXT }, { media_type: TEXT, filename: TEXT }),
);

const message = objectOf(
  { id: TEXT, role: oneOf("system", "user", "assistant", "tool"), content: anyOf(TEXT, listOf(part)) },
  {
    tool_calls: listOf(objectOf({ id: TEXT, name: TEXT, arguments: ANYTHING }, { provider_call_id: TEXT })),
    tool_call_id: TEXT,
    visibility: oneOf("internal"),
    metadata: OBJECT,
    cursor: COUNT,
  },
);

const ticket = objectOf(
  {
    suspension: objectOf({ id: TEXT, action: TEXT }, { message: TEXT, parameters: ANYTHING, response_schema: OBJECT }),
    pending: objectOf({ id: TEXT, name: TEXT, arguments: ANYTHING }),
    resume_mode: oneOf("replay_tool_call", "use_decision_as_tool_result", "pass_decision_to_tool"),
  },
  { asked_by: TEXT, expires_in_ms: COUNT },
);

const tool = objectOf({
  id: TEXT,
  name: TEXT,
  description: TEXT,
  parameters: OBJECT,
  class: oneOf("read_only", "mutating"),
  needs_approval: oneOf(true, false, "by_arguments"),
  is_destructive: FLAG,
  is_recursive: FLAG,
  idempotent: FLAG,
  interrupt_behavior: oneOf("cancel", "finish", "block"),
  timeout_ms: orNull(COUNT),
  capabilities: listOf(TEXT),
  version: TEXT,
  metadata: OBJECT,
});

const inventoryEntry = objectOf({
  tool_name: TEXT,
  description: TEXT,
  input_schema: OBJECT,
  capabilities: listOf(TEXT),
  policy: oneOf("allowed", "ask", "ask_by_arguments"),
  runtime_owner: oneOf(...TOOL_OWNERS),
  is_read_only: FLAG,
  is_concurrency_safe: FLAG,
  is_destructive: FLAG,
  interrupt_behavior: oneOf("cancel", "finish", "block"),
});

export type ComponentName =
  | "Error"
  | "Thread"
  | "Run"
  | "Workflow"
  | "WorkflowRun"
  | "WorkflowNode"
  | "Message"
  | "MailboxEntry"
  | "OpenDecision"
  | "Decision"
  | "Agent"
  | "Budget"
  | "Spending"
  | EvalComponentName;

/** What several routes speak of, by name. */
export const COMPONENTS: Readonly<Record<ComponentName, JsonSchema>> = {
  Error: objectOf(
    { error: { ...TEXT, description: "What is wrong, in words. The code is in x-reprise-error." } },
    { decision: { ...ref("Decision"), description: "For a decision that lost: the one that won." } },
  ),
  Thread: objectOf(
    { thread_id: TEXT, metadata: OBJECT, version: COUNT, ...TIMES },
    { resource_id: TEXT, parent_thread_id: TEXT },
  ),
  Run: objectOf(...RUN_FIELDS),
  Workflow: objectOf(
    {
      id: TEXT,
      name: TEXT,
      description: TEXT,
      tags: listOf(TEXT),
      trigger: OBJECT,
      inputs: listOf(OBJECT),
      nodes: { ...COUNT, description: "How many nodes it has" },
    },
    {
      version: TEXT,
      definition: TEXT,
      document: { ...OBJECT, description: "Only where one workflow is asked for" },
      graph: objectOf({ nodes: listOf(ref("WorkflowNode")) }),
      next_times: {
        ...listOf(TIME),
        description: "When its schedule fires next; only where one workflow is asked for",
      },
      is_webhook_ready: {
        ...FLAG,
        description: "Whether the secret of its webhook is set; only where one workflow is asked for",
      },
    },
  ),
  WorkflowNode: objectOf(
    {
      id: TEXT,
      type: TEXT,
      dependencies: listOf(
        objectOf(
          { on: TEXT, kind: oneOf("authored", "routing", "data") },
          {
            when: { ...ANYTHING, description: "The branch of a condition that has to be taken" },
            condition: TEXT,
            label: TEXT,
          },
        ),
      ),
    },
    {
      name: TEXT,
      body: { ...objectOf({ nodes: listOf(ref("WorkflowNode")) }), description: "Of a fan-out or a loop" },
    },
  ),
  WorkflowRun: objectOf(
    { ...RUN_FIELDS[0], workflow_id: orNull(TEXT) },
    {
      ...RUN_FIELDS[1],
      document: { ...TEXT, description: "The hash of the document that the run keeps" },
      graph: { ...objectOf({ nodes: listOf(ref("WorkflowNode")) }), description: "Of the document that the run keeps" },
      inputs: { ...OBJECT, description: "Secrets are masked" },
      context: OBJECT,
      nodes: listOf(node),
      outputs: { ...OBJECT, description: "By output node" },
      error: nodeError,
      questions: listOf(question),
      workflow: { ...OBJECT, description: "The document that the run keeps; only with `workflow=true`" },
    },
  ),
  Message: message,
  MailboxEntry: objectOf(
    {
      entry_id: TEXT,
      thread_id: TEXT,
      run_id: TEXT,
      agent_id: TEXT,
      kind: oneOf("run", "resume", "cancel"),
      busy_policy: TEXT,
      priority: NUMBER,
      generation: COUNT,
      status: oneOf("queued", "claimed", "accepted", "superseded", "cancelled", "dead_letter"),
      available_at: TIME,
      attempts: COUNT,
      origin: oneOf("external", "internal"),
      ...TIMES,
    },
    {
      request: OBJECT,
      rolls_back: TEXT,
      sender_id: TEXT,
      dedupe_key: TEXT,
      last_error: TEXT,
      reason: TEXT,
      into_run: TEXT,
    },
  ),
  OpenDecision: objectOf(
    {
      id: TEXT,
      run_id: TEXT,
      thread_id: TEXT,
      tool_id: TEXT,
      arguments: ANYTHING,
      suspension: COUNT,
      binding_hash: TEXT,
    },
    { ticket, expires_at: TIME },
  ),
  Decision: objectOf(
    {
      decision_id: TEXT,
      run_id: TEXT,
      call_id: TEXT,
      suspension: COUNT,
      action: oneOf("resume", "cancel"),
      updated_at: TIME,
    },
    {
      arguments: ANYTHING,
      result: ANYTHING,
      reason: TEXT,
      remember: oneOf("thread", "always"),
      binding_hash: TEXT,
      decided_by: TEXT,
    },
  ),
  Agent: objectOf(
    {
      id: TEXT,
      name: TEXT,
      description: TEXT,
      route: listOf(objectOf({ provider: TEXT, model: TEXT, max_attempts: COUNT })),
      plugins: listOf(TEXT),
      tools: listOf(tool),
      inventory: listOf(inventoryEntry),
      warnings: listOf(objectOf({ kind: TEXT, agent_id: TEXT, subject: TEXT, message: TEXT })),
    },
    { model: TEXT, output_schema: OBJECT, endpoint: objectOf({ url: TEXT, backend: TEXT }), definition: TEXT },
  ),
  Budget: objectOf({
    limit_microcents: orNull(COUNT),
    limit_tokens: orNull(COUNT),
    limit_tool_calls: orNull(COUNT),
    on_exceeded: oneOf("fail", "pause", "warn"),
    unpriced: oneOf("refuse", "warn"),
    warn_at_percent: orNull({ type: "number" }),
    spent: AMOUNT,
    reserved: { type: "object", additionalProperties: RESERVATION },
    allotments: { type: "object", additionalProperties: ALLOTMENT },
    told: listOf(oneOf("near_limit", "over_limit", "unpriced")),
  }),
  Spending: objectOf({ cost_microcents: COUNT, input_tokens: COUNT, output_tokens: COUNT, runs: COUNT, priced: FLAG }),
  ...EVAL_COMPONENTS,
};
