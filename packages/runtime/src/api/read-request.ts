import {
  assertBounded,
  assertId,
  type BusyPolicy,
  CLIENT_CHAT_OPTIONS,
  findBudgetProblem,
  invalidRequest,
  MAX_METADATA_BYTES,
  MAX_POLICY_BYTES,
  RUN_ORIGINS,
  type RunOverrides,
  type RunPolicy,
  type RunRequest,
} from "@reprise/contracts";
import { isJson, type Json } from "@reprise/state";
import { assertMessage } from "../thread/assert-message.ts";

const BUSY_POLICIES: readonly BusyPolicy[] = ["enqueue", "continue", "interrupt", "rollback", "steer", "reject"];
const MAX_MESSAGES = 10_000;

/** Refuses a request that could not become a run, before anything is stored. Requests come from clients: nothing is assumed. */
export function assertRequest(request: RunRequest): void {
  if (!isJson(request) || !isRecord(request)) throw invalidRequest("A run request is a JSON object.");
  assertText("agent_id", request.agent_id);
  for (const key of ["thread_id", "run_id", "parent_run_id", "parent_call_id", "parent_thread_id"] as const) {
    const id = request[key];
    if (id === undefined) continue;
    assertText(key, id);
    assertId(key, id);
  }
  for (const key of ["resource_id", "dedupe_key", "sender_id"] as const)
    if (request[key] !== undefined) assertText(key, request[key]);
  assertOneOf("origin", request.origin, RUN_ORIGINS);
  assertOneOf("busy_policy", request.busy_policy, BUSY_POLICIES);
  if (request.priority !== undefined && !Number.isSafeInteger(request.priority)) {
    throw invalidRequest("The priority is a whole number.");
  }
  assertRestore(request);
  assertMessages(request);
  assertState(request.state ?? {});
  assertPolicy(request.policy ?? {});
  if (request.overrides !== undefined) assertOverrides(request.overrides);
  if (request.metadata !== undefined && !isRecord(request.metadata)) throw invalidRequest("The metadata is an object.");
  assertBounded("metadata", request.metadata, MAX_METADATA_BYTES);
}

/** A run that waits cannot be gone on with on a thread that goes back, and one at work cannot take the messages in. */
function assertRestore({ restore, busy_policy = "interrupt", initial_decisions = [] }: RunRequest): void {
  if (restore === undefined) return;
  if (!isRecord(restore)) throw invalidRequest("restore is an object with a run_id.");
  assertText("restore.run_id", restore.run_id);
  assertId("restore.run_id", restore.run_id);
  if (restore.keep_input !== undefined && typeof restore.keep_input !== "boolean") {
    throw invalidRequest("restore.keep_input is true or false.");
  }
  if (busy_policy === "continue" || busy_policy === "steer") {
    throw invalidRequest(`restore does not go with the busy_policy ${JSON.stringify(busy_policy)}.`);
  }
  if (initial_decisions.length > 0) throw invalidRequest("restore does not go with decisions: nothing waits after it.");
}

function assertMessages({ messages, initial_decisions = [], restore }: RunRequest): void {
  if (!Array.isArray(messages)) throw invalidRequest("A run request has a list of messages.");
  if (!Array.isArray(initial_decisions) || !initial_decisions.every(isRecord)) {
    throw invalidRequest("The decisions of a request are a list of objects.");
  }
  if (messages.length > MAX_MESSAGES) throw invalidRequest(`A request has at most ${MAX_MESSAGES} messages.`);
  if (restore !== undefined && restore.keep_input !== true && messages.length === 0)
    throw invalidRequest("restore takes back what was said: send messages, or keep_input.");
  messages.forEach(assertMessage);
}

/** The runtime's own state, and what plugins guard, cannot be set from outside. */
function assertState(state: unknown): void {
  if (!isRecord(state)) throw invalidRequest("The state of a request is an object.");
  for (const key of Object.keys(state)) {
    const isOwned = key.startsWith("__") || key === "permission_policy" || key === "sub_agents";
    if (isOwned)
      throw invalidRequest(`The state ${JSON.stringify(key)} belongs to the runtime and cannot be set by a request.`);
    if (key === "constructor" || key === "prototype")
      throw invalidRequest(`${JSON.stringify(key)} cannot be a state key.`);
  }
}

function assertPolicy(policy: RunPolicy): void {
  if (!isRecord(policy)) throw invalidRequest("The policy of a request is an object.");
  const { budget, ...lists } = policy;
  // A request is JSON, as was checked before.
  const problem = budget === undefined ? undefined : findBudgetProblem(budget as unknown as Json);
  if (problem !== undefined) throw invalidRequest(`policy.budget: ${problem}.`);
  for (const [key, list] of Object.entries(lists)) {
    const isList = Array.isArray(list) && list.every((item) => typeof item === "string");
    if (!isList) throw invalidRequest(`policy.${key} is a list of ids.`);
  }
  // A policy is part of a request, which is JSON.
  assertBounded("policy", policy as unknown as Json, MAX_POLICY_BYTES);
}

const MODES: readonly string[] = ["sequential", "parallel_batch_approval", "parallel_streaming"];

/** Whether the agent lets clients choose is asked later; here only what they may choose. */
function assertOverrides(overrides: RunOverrides): void {
  if (!isRecord(overrides)) throw invalidRequest("overrides must be an object.");
  const { model, system_prompt, config = {}, ...unknown } = overrides;
  const [odd] = Object.keys(unknown);
  if (odd !== undefined) throw invalidRequest(`overrides has no ${odd}; it has model, system_prompt and config.`);
  if (model !== undefined) assertText("overrides.model", model);
  if (system_prompt !== undefined && typeof system_prompt !== "string") {
    throw invalidRequest("overrides.system_prompt must be a string.");
  }
  if (!isRecord(config)) throw invalidRequest("overrides.config must be an object.");
  const { tool_execution_mode, chat_options = {}, ...others } = config;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw invalidRequest(`overrides.config has no ${other}; it has tool_execution_mode and chat_options.`);
  }
  assertOneOf("tool_execution_mode", tool_execution_mode, MODES);
  if (!isRecord(chat_options)) throw invalidRequest("overrides.config.chat_options must be an object.");
  const refused = Object.keys(chat_options).find((option) => !CLIENT_CHAT_OPTIONS.includes(option));
  if (refused !== undefined) {
    throw invalidRequest(
      `A client cannot set the chat option ${refused}; it can set ${CLIENT_CHAT_OPTIONS.join(", ")}.`,
    );
  }
}

function assertText(what: string, value: unknown): void {
  if (typeof value !== "string" || value === "") throw invalidRequest(`${what} is a text that is not empty.`);
}

function assertOneOf(what: string, value: unknown, known: readonly string[]): void {
  if (value !== undefined && !known.some((each) => each === value)) {
    throw invalidRequest(`${JSON.stringify(value)} is not a known ${what}; there are ${known.join(", ")}.`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
