import type { RunRequest } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { badRequest } from "../http/http-refusal.ts";
import type { JsonBody } from "../http/read-body.ts";
import { decodeDecisions } from "./decode-decisions.ts";
import { listOf, textOf } from "./read-fields.ts";
import { readLenient } from "./read-lenient.ts";

const RUN_FIELDS = {
  agent_id: ["agentId", "agent_id"],
  thread_id: ["threadId", "thread_id", "contextId", "context_id"],
  run_id: ["runId", "run_id", "taskId", "task_id"],
  parent_run_id: ["parentRunId", "parent_run_id"],
  parent_call_id: ["parentCallId", "parent_call_id"],
  parent_thread_id: ["parentThreadId", "parent_thread_id", "parentContextId", "parent_context_id"],
  resource_id: ["resourceId", "resource_id"],
  state: ["state"],
  messages: ["messages"],
  initial_decisions: ["initialDecisions", "initial_decisions", "decisions"],
  busy_policy: ["busyPolicy", "busy_policy"],
  restore: ["restore"],
  priority: ["priority"],
  dedupe_key: ["dedupeKey", "dedupe_key"],
  sender_id: ["senderId", "sender_id"],
  model: ["model"],
  system_prompt: ["systemPrompt", "system_prompt"],
  config: ["config"],
  policy: ["policy"],
  metadata: ["metadata"],
} as const;

const IDS = [
  "thread_id",
  "run_id",
  "parent_run_id",
  "parent_call_id",
  "parent_thread_id",
  "resource_id",
  "dedupe_key",
  "sender_id",
] as const;

/** What starts a run, and what was odd about how it was said. */
export interface DecodedRunRequest {
  readonly request: RunRequest;
  readonly warnings: readonly string[];
}

/** Reads what starts a run. Only names and the outermost shapes: what a run may be asked for is the runtime's to judge. */
export function decodeRunRequest(body: JsonBody): DecodedRunRequest {
  const { fields, warnings } = readLenient(body, RUN_FIELDS);
  const agentId = textOf("agentId", fields.agent_id);
  if (agentId === undefined) throw badRequest("agentId cannot be empty");
  const { state, messages, initial_decisions, busy_policy, priority, policy, metadata, restore } = fields;
  const { model, system_prompt, config } = fields;
  const ids: { [Key in (typeof IDS)[number]]?: string } = {};
  for (const key of IDS) {
    const id = textOf(RUN_FIELDS[key][0], fields[key]);
    if (id !== undefined) ids[key] = id;
  }
  const unchecked: { readonly [key: string]: Json | undefined } = {
    state,
    busy_policy,
    priority,
    policy,
    metadata,
    restore,
  };
  const given = withoutAbsent(unchecked);
  const overrides = withoutAbsent({ model, system_prompt, config });
  const chosen = Object.keys(overrides).length === 0 ? {} : { overrides };
  const said = listOf("messages", messages);
  const request = { agent_id: agentId, ...ids, ...given, ...chosen, messages: said, origin: "user" };
  // The runtime takes nothing of a request for granted and checks every field of it.
  const unjudged = request as unknown as RunRequest;
  const decided = initial_decisions === undefined ? {} : { initial_decisions: decodeDecisions(initial_decisions) };
  return { request: { ...unjudged, ...decided }, warnings };
}

function withoutAbsent(fields: { readonly [key: string]: Json | undefined }): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const INPUT_FIELDS = {
  agent_id: RUN_FIELDS.agent_id,
  messages: RUN_FIELDS.messages,
  initial_decisions: RUN_FIELDS.initial_decisions,
} as const;

/** What is pushed to a run that exists: decisions for it, or messages that go on after it. */
export interface RunInputs {
  readonly agentId?: string;
  readonly messages: RunRequest["messages"];
  readonly decisions: NonNullable<RunRequest["initial_decisions"]>;
  readonly warnings: readonly string[];
}

export function decodeRunInputs(body: JsonBody): RunInputs {
  const { fields, warnings } = readLenient(body, INPUT_FIELDS);
  // As above: the runtime checks every message.
  const messages = listOf("messages", fields.messages) as unknown as RunRequest["messages"];
  const decisions = decodeDecisions(fields.initial_decisions);
  if (messages.length === 0 && decisions.length === 0) throw badRequest("messages and decisions cannot both be empty");
  const agentId = textOf("agentId", fields.agent_id);
  if (messages.length > 0 && agentId === undefined) throw badRequest("agentId is required when messages are provided");
  return { ...(agentId !== undefined && { agentId }), messages, decisions, warnings };
}
