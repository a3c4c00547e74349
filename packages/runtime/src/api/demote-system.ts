import { type MessageInput, textOf } from "@reprise/contracts";
import { frameText } from "../thread/frame-text.ts";

/**
 * System text is the operator's alone: what a client sends as such is context, in a user's place and with its source. It is not something
 * the user said, so lists do not show it.
 */
export function demoteSystem(message: MessageInput): MessageInput {
  if (message.role !== "system") return message;
  const text = frameText("context", "client", textOf(message));
  const files = typeof message.content === "string" ? [] : message.content.filter(({ type }) => type !== "text");
  const content = files.length === 0 ? text : [{ type: "text" as const, text }, ...files];
  return { ...message, role: "user", content, visibility: "internal" };
}
