import type { JsonSchema } from "../openapi/operation.ts";
import {
  ANYTHING,
  aliases,
  anyOf,
  bodyOf,
  FLAG,
  listOf,
  NUMBER,
  OBJECT,
  objectOf,
  oneOf,
  TEXT,
} from "../openapi/schema-words.ts";

/** A message as clients send it; what is in its parts is the runtime's to judge. */
const MESSAGE = objectOf(
  { role: oneOf("user", "assistant", "tool", "system"), content: anyOf(TEXT, listOf(OBJECT)) },
  { id: TEXT, tool_calls: listOf(OBJECT), tool_call_id: TEXT, metadata: OBJECT },
);

const DECISION = bodyOf(
  { action: oneOf("resume", "cancel") },
  {
    ...aliases(["target_id", "targetId"], TEXT),
    ...aliases(["decision_id", "decisionId"], TEXT),
    suspension: NUMBER,
    arguments: ANYTHING,
    result: ANYTHING,
    payload: ANYTHING,
    reason: TEXT,
    ...aliases(["binding_hash", "bindingHash"], TEXT),
    ...aliases(["updated_at", "updatedAt"], NUMBER),
  },
);

const AGENT = aliases(["agentId", "agent_id"], TEXT);
const SAID = {
  messages: listOf(MESSAGE),
  ...aliases(["decisions", "initialDecisions", "initial_decisions"], listOf(DECISION)),
};

const STRICT = {
  strict: { ...FLAG, description: "Refuse fields that are not known; otherwise they are ignored with a warning" },
};

/** What starts a run. Names in one line mean the same; one of them is given. */
export const RUN_BODY: JsonSchema = objectOf(
  {},
  {
    ...AGENT,
    ...aliases(["threadId", "thread_id", "contextId", "context_id"], TEXT),
    ...aliases(["runId", "run_id", "taskId", "task_id"], TEXT),
    ...aliases(["parentRunId", "parent_run_id"], TEXT),
    ...aliases(["parentCallId", "parent_call_id"], TEXT),
    ...aliases(["parentThreadId", "parent_thread_id", "parentContextId", "parent_context_id"], TEXT),
    ...aliases(["resourceId", "resource_id"], TEXT),
    ...aliases(["busyPolicy", "busy_policy"], oneOf("enqueue", "continue", "interrupt", "rollback", "steer", "reject")),
    ...aliases(["dedupeKey", "dedupe_key"], TEXT),
    ...aliases(["senderId", "sender_id"], TEXT),
    model: TEXT,
    ...aliases(["systemPrompt", "system_prompt"], TEXT),
    config: bodyOf(
      {},
      {
        tool_execution_mode: oneOf("sequential", "parallel_batch_approval", "parallel_streaming"),
        chat_options: OBJECT,
      },
    ),
    ...SAID,
    restore: bodyOf({ run_id: TEXT }, { keep_input: FLAG }),
    state: OBJECT,
    priority: NUMBER,
    policy: OBJECT,
    metadata: OBJECT,
    ...STRICT,
  },
);

/** What is said to a run that exists. */
export const INPUTS_BODY: JsonSchema = objectOf({}, { ...AGENT, ...SAID, ...STRICT });
