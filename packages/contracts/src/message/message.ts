import type { Json } from "@reprise/state";
import { needed, type ObjectShape, openObjectOf, optional, unionOf } from "../shape/object-shape.ts";
import { listOf, oneOf, type Shape, text, textOr, unchecked } from "../shape/shape.ts";
import { idText } from "../thread/assert-id.ts";

export type MessageRole = "system" | "user" | "assistant" | "tool";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** The reasoning of the model. `encrypted` is sent back only to the provider that it came from. */
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

type EachPart =
  | TextPart
  | ReasoningPart
  | (FilePart & { readonly type: "image" })
  | (FilePart & { readonly type: "file" });

const FILE_PART = {
  url: needed(text),
  media_type: optional(unchecked<string>()),
  filename: optional(unchecked<string>()),
};

const PART: Shape<ContentPart> = unionOf<"type", EachPart>(
  "type",
  {
    text: { text: needed(text) },
    reasoning: {
      text: needed(text),
      encrypted: optional(unchecked<string>()),
      provider: optional(unchecked<string>()),
    },
    image: FILE_PART,
    file: FILE_PART,
  },
  openObjectOf,
);

const CALL: Shape<ToolCallRequest> = openObjectOf<ToolCallRequest>({
  id: needed(text),
  name: needed(text),
  arguments: needed(unchecked<Json>()),
  provider_call_id: optional(unchecked<string>()),
});

/** A message that a model can be given. */
export const MESSAGE_INPUT: ObjectShape<MessageInput> = openObjectOf<MessageInput>({
  role: needed(oneOf("user", "assistant", "tool", "system")),
  content: needed(textOr(text, listOf(PART))),
  id: optional(idText),
  tool_calls: optional(listOf(CALL)),
  tool_call_id: optional(text),
  visibility: optional(unchecked<"internal">()),
  metadata: optional(unchecked<MessageMetadata>({ type: "object" })),
});

/** The text of a message, its other parts left out. */
export function textOf(message: Pick<Message, "content">): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
