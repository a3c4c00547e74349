import {
  type Message,
  type ModelAnswer,
  type ModelWork,
  redactCredentials,
  type ToolDescriptor,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** Longer content is cut: exporters drop spans that are too large, with everything in them. */
const MAX_CHARACTERS = 32_768;

/** Takes out what must not leave the process, after credentials were. Called with each piece of text. */
export type RedactContent = (text: string) => string;

/** Content as the text of an attribute: redacted, then cut. */
export function contentText(value: Json | readonly object[], redact: RedactContent): string {
  const text = typeof value === "string" ? redactText(value, redact) : redactValue(value, redact);
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
}

function redactText(text: string, redact: RedactContent): string {
  return redact(redactCredentials(text));
}

/** Each text by itself first, because JSON inside JSON hides it behind escapes; then the whole, where a key names its value. */
function redactValue(value: Json | readonly object[], redact: RedactContent): string {
  const redacted = JSON.stringify(value, (_, each) => (typeof each === "string" ? redactText(each, redact) : each));
  return redactCredentials(redacted);
}

/** The messages of a request in the shape of the conventions: a role, and parts with a type. */
export function describeMessages({ request }: Pick<ModelWork, "request">): readonly object[] {
  return request.messages.map((message) => ({ role: message.role, parts: describeParts(message) }));
}

function describeParts({ role, content, tool_calls = [], tool_call_id }: Message): readonly object[] {
  const texts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  if (role === "tool") {
    const response = texts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return [{ type: "tool_call_response", id: tool_call_id ?? null, response }];
  }
  const said = texts.filter((part) => part.type !== "text" || part.text !== "");
  const parts = said.map((part) => {
    if (part.type === "text" || part.type === "reasoning") return { type: part.type, content: part.text };
    // Where a file lies, never what is in it.
    const uri = part.url.startsWith("data:") ? "data:" : part.url;
    return { type: "uri", modality: part.type, mime_type: part.media_type ?? null, uri };
  });
  const calls = tool_calls.map((call) => ({
    type: "tool_call",
    id: call.id,
    name: call.name,
    arguments: call.arguments,
  }));
  return [...parts, ...calls];
}

/** An answer in the same shape. */
export function describeAnswer({ text, calls, stopReason }: ModelAnswer): readonly object[] {
  const said = text === "" ? [] : [{ type: "text", content: text }];
  const asked = calls.map((call) => ({ type: "tool_call", ...call }));
  return [{ role: "assistant", parts: [...said, ...asked], finish_reason: stopReason }];
}

export function describeTools(tools: readonly ToolDescriptor[]): readonly object[] {
  return tools.map(({ id, description, parameters }) => ({ type: "function", name: id, description, parameters }));
}
