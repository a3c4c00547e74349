import { type ContentPart, type DecisionInput, type MessageInput, translateDecision } from "@reprise/contracts";
import { getAt, type Json, parseJson } from "@reprise/state";
import { callIdOf } from "./call-events.ts";

/**
 * What is new in the conversation that a client sends whole each time: the words of the user since the assistant last spoke, and
 * instructions. Messages with ids may come again, and are then taken once. Messages without any content are left out.
 */
export function readSaid(messages: readonly Json[]): readonly MessageInput[] {
  const lastAnswer = findLastAnswer(messages);
  return messages.flatMap((message, index) => {
    const role = getAt(message, ["role"]);
    const id = textAt(message, "id");
    const isNew = index > lastAnswer;
    // Instructions stand at the beginning: without an id nothing tells those that are known from new ones.
    const isInstruction = (role === "system" || role === "developer") && (isNew || id !== undefined);
    if (!isInstruction && !(isNew && role === "user")) return [];
    const content = readContent(message);
    if (content === undefined) return [];
    return [{ ...(id !== undefined && { id }), role: isInstruction ? "system" : "user", content }];
  });
}

/** Results of calls that the client executed. Those of the server are among them; the calls they are for are done. */
export function readAnswers(messages: readonly Json[]): readonly DecisionInput[] {
  return messages.slice(findLastAnswer(messages) + 1).flatMap((message) => {
    const shown = textAt(message, "toolCallId") ?? textAt(message, "tool_call_id");
    if (getAt(message, ["role"]) !== "tool" || shown === undefined) return [];
    const target = callIdOf(shown);
    const error = textAt(message, "error");
    if (error !== undefined) return [translateDecision(target, { approved: false, error })];
    return [{ target_id: target, action: "resume" as const, result: readResult(getAt(message, ["content"]) ?? null) }];
  });
}

function findLastAnswer(messages: readonly Json[]): number {
  return messages.findLastIndex((message) => getAt(message, ["role"]) === "assistant");
}

/** A result travels as text. One that is JSON is what the text says. */
function readResult(content: Json): Json {
  if (typeof content !== "string") return content;
  try {
    return parseJson(content);
  } catch {
    return content.toWellFormed();
  }
}

/** The content of a message: a text, or parts. Undefined when there is nothing in it. */
function readContent(message: Json): MessageInput["content"] | undefined {
  const content = getAt(message, ["content"]);
  const parts: readonly ContentPart[] =
    typeof content === "string"
      ? [{ type: "text", text: content.toWellFormed() }]
      : Array.isArray(content)
        ? content.flatMap(readPart)
        : [];
  if (parts.every((part) => part.type === "text" && part.text.trim() === "")) return undefined;
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" ? first.text : parts;
}

const MEDIA: readonly string[] = ["image", "audio", "video", "document", "binary"];

/**
 * A part of a message. Media is at a URL or in the message itself, as `source` or, before version 1, as fields of a `binary` part. A file
 * that only another provider can read is left out.
 */
function readPart(part: Json): readonly ContentPart[] {
  const type = textAt(part, "type") ?? "";
  const text = getAt(part, ["text"]);
  if (type === "text" && typeof text === "string") return [{ type, text: text.toWellFormed() }];
  if (!MEDIA.includes(type)) return [];
  const source = getAt(part, ["source"]) ?? part;
  const mediaType = textAt(source, "mimeType");
  const data = textAt(source, "data") ?? (textAt(source, "type") === "data" ? textAt(source, "value") : undefined);
  const url =
    data === undefined
      ? (textAt(source, "url") ?? (textAt(source, "type") === "url" ? textAt(source, "value") : undefined))
      : `data:${mediaType ?? "application/octet-stream"};base64,${data}`;
  if (url === undefined) return [];
  const filename = textAt(part, "filename") ?? textAt(getAt(part, ["metadata"]) ?? null, "filename");
  return [
    {
      type: type === "image" || mediaType?.startsWith("image/") === true ? "image" : "file",
      url,
      ...(mediaType !== undefined && { media_type: mediaType }),
      ...(filename !== undefined && { filename }),
    },
  ];
}

function textAt(value: Json, key: string): string | undefined {
  const text = getAt(value, [key]);
  return typeof text === "string" && text !== "" ? text.toWellFormed() : undefined;
}
