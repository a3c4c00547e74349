import { type Message, type ModelRequest, textOf } from "@reprise/contracts";
import { type Json, parseJson } from "@reprise/state";

/** The result of a call, as the model reads it. */
export interface CallResult {
  readonly tool: string;
  readonly arguments: Json;
  readonly data: Json;
  readonly isError: boolean;
}

/** A conversation as the demonstration model looks at it. */
export interface Conversation {
  /** What the user said last. */
  readonly said: string;
  /** Everything the user said, in order. */
  readonly history: readonly string[];
  /** What the calls since then came to, in order; one list a step. */
  readonly rounds: readonly (readonly CallResult[])[];
  /** The tools that can be called. */
  readonly tools: readonly string[];
}

export function readConversation({ messages, tools }: Pick<ModelRequest, "messages" | "tools">): Conversation {
  // Context that plugins add stands in the user's position, and no user said it.
  const isSaid = ({ role, visibility }: Message): boolean => role === "user" && visibility !== "internal";
  const users = messages.filter(isSaid).map((message) => textOf(message).trim());
  const since = messages.slice(messages.findLastIndex(isSaid) + 1);
  const results = new Map(
    since.flatMap((message) => (message.role === "tool" ? [[message.tool_call_id, message]] : [])),
  );
  const rounds = since
    .filter(({ role, tool_calls = [] }) => role === "assistant" && tool_calls.length > 0)
    .map(({ tool_calls = [] }) => tool_calls.map((call) => toResult(call.name, call.arguments, results.get(call.id))));
  return { said: users.at(-1) ?? "", history: users, rounds, tools: tools.map(({ id }) => id) };
}

function toResult(tool: string, arguments_: Json, message: Message | undefined): CallResult {
  const text = message === undefined ? "" : textOf(message);
  return { tool, arguments: arguments_, data: readData(text), isError: message?.metadata?.status === "error" };
}

function readData(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** A field of a result; undefined when it is not there. */
export function fieldOf(data: Json, name: string): Json | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  return Object.hasOwn(data, name) ? (data as { readonly [key: string]: Json })[name] : undefined;
}
