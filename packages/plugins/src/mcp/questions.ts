import { type Decision, type MarkedSuspension, suspendTool } from "@reprise/contracts";
import { findSectionProblem } from "@reprise/runtime";
import {
  type ActionCreators,
  defineState,
  isJson,
  type Json,
  type JsonObject,
  type StateDefinition,
} from "@reprise/state";
import { cut } from "./listed-tool.ts";

/** Something a server asks a person, in the words of the protocol. */
export interface Question {
  readonly mode: "form" | "url";
  readonly message: string;
  readonly requestedSchema?: JsonObject;
  readonly url?: string;
}

/** The answer of a person, in the words of the protocol. */
export interface Reply {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: { readonly [key: string]: string | number | boolean | string[] };
}

/** A request of a server inside of a result: a question, or something that is answered without a person. */
export interface InputRequest {
  readonly method: string;
  readonly params?: JsonObject;
}

/**
 * The open question of a suspended call. Kept in the state of the call, so that another process can continue.
 * - `input`: an answer goes into a new request, with the state the server gave along. Nothing else is needed.
 * - `session`: the server waits in its session. Only the process that has the connection can answer.
 * - `task`: the server works on a task, which any process can look at. It may ask something; `answered` has the keys of earlier questions.
 */
export type Waiting =
  | {
      readonly kind: "input";
      readonly requests: { readonly [key: string]: InputRequest };
      readonly request_state?: string;
    }
  | { readonly kind: "session"; readonly question: Question }
  | {
      readonly kind: "task";
      readonly task_id: string;
      /** When the task began. */
      readonly since: number;
      /** Questions of the 2026 era, which any process can answer. */
      readonly requests?: { readonly [key: string]: InputRequest };
      /** A question of the 2025 era, which waits in a session. */
      readonly question?: Question;
      readonly answered?: readonly string[];
    }
  | { readonly kind: "nothing" };

/** The open question of each suspended MCP call. */
export const mcpWaiting: StateDefinition<Waiting> & ActionCreators<{ set: [waiting: Waiting] }> = defineState({
  path: "mcp_waiting",
  scope: "tool_call",
  initial: (): Waiting => ({ kind: "nothing" }),
  actions: { set: (_: Waiting, waiting: Waiting): Waiting => waiting },
});

const ELICIT = "elicitation/create";
const MAX_MESSAGE_CHARS = 4_096;

/** Reads a question out of the params of a request. A schema that is none asks for nothing. */
export function readQuestion(params: unknown): Question {
  const { mode, message, requestedSchema, url } = (params ?? {}) as Record<string, unknown>;
  return {
    mode: mode === "url" ? "url" : "form",
    message: cut(typeof message === "string" ? message : "", MAX_MESSAGE_CHARS),
    ...(isSchema(requestedSchema) && { requestedSchema }),
    ...(typeof url === "string" && { url }),
  };
}

function isSchema(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isJson(value);
}

/** The questions among the requests of a result, by key. */
export function questionsOf(requests: { readonly [key: string]: InputRequest }): ReadonlyMap<string, Question> {
  const asked = Object.entries(requests).filter(([, { method }]) => method === ELICIT);
  return new Map(asked.map(([key, { params }]) => [key, readQuestion(params)]));
}

/** Suspends a call until a person answers. The text is the server's, and says so. */
export function suspendWith(server: string, questions: ReadonlyMap<string, Question>, problem = ""): MarkedSuspension {
  const all = [...questions];
  const asked = all.map(([, { message, url }]) => (url === undefined ? message : `${message} ${url}`)).join("\n");
  const note = problem === "" ? "" : `\nThe last answer was refused: ${problem}`;
  const [only] = all;
  const schema = all.length === 1 ? schemaOf(only?.[1]) : undefined;
  const properties = Object.fromEntries(all.map(([key, question]) => [key, schemaOf(question)]));
  return suspendTool({
    action: "mcp_input",
    message: `The MCP server ${server} asks: ${asked}${note}`,
    // Questions are made of JSON; their interface hides it.
    parameters: { server, questions: Object.fromEntries(all) as unknown as Json },
    responseSchema: schema ?? { type: "object", properties, required: all.map(([key]) => key) },
  });
}

function schemaOf(question: Question | undefined): JsonObject {
  return question?.requestedSchema ?? { type: "object", properties: {} };
}

/** Replies to every question, or what is wrong with the answer. */
export type ReadReplies =
  | { readonly ok: true; readonly replies: { readonly [key: string]: Reply } }
  | { readonly ok: false; readonly problem: string };

/** Reads what a person decided. A plain yes accepts with the defaults of the form. */
export function readReplies(
  questions: ReadonlyMap<string, Question>,
  { result }: Pick<Decision, "result">,
): ReadReplies {
  const replies: Record<string, Reply> = {};
  for (const [key, question] of questions) {
    const answer = questions.size === 1 ? result : fieldOf(result, key);
    const reply = readReply(question, answer);
    if (typeof reply === "string") return { ok: false, problem: questions.size === 1 ? reply : `${key}: ${reply}` };
    replies[key] = reply;
  }
  return { ok: true, replies };
}

const REPLIES: readonly unknown[] = ["accept", "decline", "cancel"];

function readReply(question: Question, answer: Json | undefined): Reply | string {
  const action = fieldOf(answer, "action");
  const isReply = REPLIES.includes(action) && question.requestedSchema?.properties !== undefined;
  const isWhole = isReply && !Object.hasOwn(Object(question.requestedSchema?.properties), "action");
  if (isWhole && action !== "accept") return { action: action === "decline" ? "decline" : "cancel" };
  if (question.mode === "url") return { action: "accept" };
  const content = isWhole ? fieldOf(answer, "content") : answer;
  const filled = { ...defaultsOf(question), ...(isSchema(content) && content) };
  const problem = question.requestedSchema && findProblem(question.requestedSchema, filled);
  // Found to fit a form, which has no other values.
  return problem ?? { action: "accept", content: filled as NonNullable<Reply["content"]> };
}

/** Describes the problem with an answer. A schema that cannot be used lets every answer pass, because the server checks it too. */
function findProblem(schema: JsonObject, content: Json): string | undefined {
  try {
    return findSectionProblem(schema, content);
  } catch {
    return undefined;
  }
}

function defaultsOf({ requestedSchema }: Question): JsonObject {
  const properties = requestedSchema?.properties;
  if (!isSchema(properties)) return {};
  const given = Object.entries(properties).flatMap(([key, field]): [string, Json][] => {
    const value = fieldOf(field, "default");
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(given);
}

function fieldOf(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
    return undefined;
  // Json arrays are readonly, which `isArray` does not take away.
  return (value as { readonly [key: string]: Json })[key];
}
