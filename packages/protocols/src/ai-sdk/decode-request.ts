import { type DecisionInput, invalidRequest, type RunOverrides, type RunRequest } from "@reprise/contracts";
import { assertJson, getAt, type Json, parseJson } from "@reprise/state";
import { readDecisions } from "./read-decisions.ts";
import { readUserMessages } from "./read-user-messages.ts";

interface Addressed {
  readonly thread_id: string;
  readonly run_id?: string;
}

/** What a client wants. */
export type AiSdkRequest =
  /** Something was said. `edited_message_id` is set when it takes the place of what was said before. */
  | { readonly kind: "submit"; readonly request: RunRequest; readonly edited_message_id?: string }
  /** The answer with this id, and all that follows it, is to be given anew. */
  | ({
      readonly kind: "regenerate";
      readonly message_id: string;
      readonly overrides?: RunOverrides;
    } & Addressed)
  /**
   * Nothing was said, but something was decided. A client that continues its message wants it streamed; any other gets told that the
   * decisions were passed on. Where no run waits for them, the request is an ordinary one.
   */
  | ({
      readonly kind: "decisions";
      readonly decisions: readonly DecisionInput[];
      readonly reply: "stream" | "json";
      readonly request: RunRequest;
    } & Addressed);

/** Reads the body of a request. Throws `INVALID_REQUEST` with what is wrong. */
export function decodeAiSdkRequest(text: string, agentId: string): AiSdkRequest {
  const body = parseBody(text);
  if (getAt(body, ["id"]) === undefined && (has(body, "sessionId") || has(body, "input"))) {
    throw invalidRequest("legacy AI SDK payload shape is no longer supported; use id/messages");
  }
  const thread_id = readText(body, "id") ?? "";
  if (thread_id.trim() === "") throw invalidRequest("id cannot be empty");
  const run_id = readText(body, "runId");
  const addressed = { thread_id, ...(run_id !== undefined && { run_id }) };
  const overrides = readOverrides(body);
  const messageId = readText(body, "messageId");
  if (readTrigger(body) === "regenerate-message") {
    if (messageId === undefined) throw invalidRequest("messageId is required when trigger=regenerate-message");
    if (messageId.trim() === "") throw invalidRequest("messageId cannot be empty");
    return { kind: "regenerate", message_id: messageId, ...addressed, ...overrides };
  }
  const messages = readMessages(body);
  const { decisions, isContinuing } = readDecisions(messages, messageId);
  // A client that continues a message has nothing new to say, whatever was said behind it.
  const said = isContinuing && isAnswer(messages, messageId) ? [] : readUserMessages(messages);
  if (said.length + decisions.length === 0) {
    throw invalidRequest("request must include user input or suspension decisions");
  }
  const parent = readText(body, "parentThreadId");
  const request: RunRequest = {
    agent_id: agentId,
    ...addressed,
    ...(parent !== undefined && { parent_thread_id: parent }),
    origin: "ai_sdk",
    messages: said,
    ...overrides,
    ...(decisions.length > 0 && { initial_decisions: decisions }),
  };
  if (said.length === 0) {
    return { kind: "decisions", decisions, reply: isContinuing ? "stream" : "json", request, ...addressed };
  }
  const isEdit = messageId !== undefined && said.some(({ id }) => id === messageId);
  return { kind: "submit", request, ...(isEdit && { edited_message_id: messageId }) };
}

/** What the client chose for this run, as in `POST /v1/runs`. The runtime checks it, and whether the agent allows it. */
function readOverrides(body: Json): { readonly overrides?: RunOverrides } {
  const chosen = {
    model: getAt(body, ["model"]),
    system_prompt: getAt(body, ["systemPrompt"]) ?? getAt(body, ["system_prompt"]),
    config: getAt(body, ["config"]),
  };
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? {} : { overrides: Object.fromEntries(given) as RunOverrides };
}

function parseBody(text: string): Json {
  try {
    const body = parseJson(text);
    assertJson(body);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  } catch (cause) {
    throw invalidRequest("the body is not valid JSON", { problem: cause instanceof Error ? cause.name : "unknown" });
  }
  throw invalidRequest("the body is not an object");
}

function readMessages(body: Json): readonly Json[] {
  const messages = getAt(body, ["messages"]);
  if (messages === undefined) return [];
  if (!Array.isArray(messages)) throw invalidRequest("messages must be an array");
  return messages;
}

function readTrigger(body: Json): string | undefined {
  const trigger = readText(body, "trigger");
  if (trigger === undefined || trigger === "submit-message" || trigger === "regenerate-message") return trigger;
  throw invalidRequest("trigger is submit-message or regenerate-message");
}

/** Whether an id is that of a message of the assistant. */
function isAnswer(messages: readonly Json[], id: string | undefined): boolean {
  return messages.some((message) => getAt(message, ["role"]) === "assistant" && getAt(message, ["id"]) === id);
}

/** A text of the body. Null is as good as absent; anything else is a mistake. */
function readText(body: Json, key: string): string | undefined {
  const value = getAt(body, [key]) ?? undefined;
  if (value === undefined || typeof value === "string") return value?.toWellFormed();
  throw invalidRequest(`${key} must be a string`);
}

function has(body: Json, key: string): boolean {
  return getAt(body, [key]) !== undefined;
}
