import type { Message } from "../message/message.ts";

/**
 * The long texts that messages bring: what was said, thought and asked of tools. Events and bodies of the same changeset point
 * at them by number, so the order is part of the stored format.
 */
export function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => [
    ...contentTexts(message.content),
    ...(message.tool_calls ?? []).map((call) => JSON.stringify(call.arguments) ?? ""),
  ]);
}

function contentTexts(content: Message["content"]): readonly string[] {
  if (typeof content === "string") return [content];
  return content.map((part) => (part.type === "text" || part.type === "reasoning" ? part.text : ""));
}
