import { type Message, textOf } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** A prompt for an agent that knows the conversation up to its last answer: what was said since. */
export function promptSince(messages: readonly Message[]): readonly Json[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return blocksOf(messages.slice(last + 1));
}

/** A prompt for an agent that knows nothing: the conversation so far as context, and what was said since the last answer. */
export function wholePrompt(messages: readonly Message[]): readonly Json[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const earlier = messages
    .slice(0, last + 1)
    .filter(({ role, content }) => (role === "user" || role === "assistant") && textOf({ content }) !== "")
    .map((message) => `${message.role}: ${textOf(message)}`);
  if (earlier.length === 0) return promptSince(messages);
  const context = `The conversation so far, for context:\n\n${earlier.join("\n\n")}`;
  return [{ type: "text", text: context }, ...promptSince(messages)];
}

function blocksOf(messages: readonly Message[]): readonly Json[] {
  const blocks = messages.flatMap((message): readonly Json[] => {
    if (message.role !== "user") return [];
    if (typeof message.content === "string") return [{ type: "text", text: message.content }];
    return message.content.flatMap((part): readonly Json[] => {
      if (part.type === "text") return [{ type: "text", text: part.text }];
      if (part.type === "reasoning") return [];
      return [{ type: "resource_link", name: part.filename ?? part.type, uri: part.url }];
    });
  });
  return blocks.length > 0 ? blocks : [{ type: "text", text: "Continue." }];
}
