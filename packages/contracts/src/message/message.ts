import type { Json } from "@reprise/state";

export type MessageRole = "system" | "user" | "assistant" | "tool";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** What the model thought. `encrypted` goes back to the provider it came from, and to no other. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly encrypted?: string;
  readonly provider?: string;
}

/** An image or a file: a URL, a blob (`blob:<hash>`) or media handle, never the bytes themselves. */
export interface FilePart {
  readonly type: "image" | "file";
  readonly url: string;
  readonly media_type?: string;
  readonly filename?: string;
}

export type ContentPart = TextPart | ReasoningPart | FilePart;

/** A call as the assistant asked for it. `id` is ours; the provider's own id is kept for that provider alone. */
export interface ToolCallRequest {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
  readonly provider_call_id?: string;
}

export interface MessageMetadata {
  readonly run_id?: string;
  readonly step_index?: number;
  readonly [key: string]: Json | undefined;
}

/** One message of a thread. Plain text is a string; anything richer is a list of parts. */
export interface Message {
  readonly id: string;
  readonly role: MessageRole;
  readonly content: string | readonly ContentPart[];
  readonly tool_calls?: readonly ToolCallRequest[];
  /** For role `tool`: the call this is the result of. */
  readonly tool_call_id?: string;
  /** Left out for ordinary messages; `internal` ones reach the model but are not shown in lists unless asked for. */
  readonly visibility?: "internal";
  readonly metadata?: MessageMetadata;
}

/** A message as a client sends it: the id is optional, and given ones make sending twice harmless. */
export interface MessageInput extends Omit<Message, "id"> {
  readonly id?: string;
}

/** The text of a message, its other parts left out. */
export function textOf(message: Pick<Message, "content">): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
