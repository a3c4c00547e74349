import type { ContentPart, MessageInput } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";

/**
 * What the user said since the assistant last spoke. Stock clients send the whole conversation; what is older is in the thread. Messages
 * with ids may come again, and are then taken once. Messages without any content are left out.
 */
export function readUserMessages(messages: readonly Json[]): readonly MessageInput[] {
  const lastAnswer = messages.findLastIndex((message) => getAt(message, ["role"]) === "assistant");
  return messages.slice(lastAnswer + 1).flatMap((message) => {
    if (getAt(message, ["role"]) !== "user") return [];
    const parts = readParts(message);
    const isEmpty = parts.every((part) => part.type === "text" && part.text.trim() === "");
    if (isEmpty) return [];
    const id = getAt(message, ["id"]);
    const [first] = parts;
    const content = parts.length === 1 && first?.type === "text" ? first.text : parts;
    return [{ ...(typeof id === "string" && id !== "" && { id }), role: "user", content }];
  });
}

/** Both shapes: `{ content: "…" }`, and `{ parts: [{ type: "text", … }, { type: "file", … }] }`. */
function readParts(message: Json): readonly ContentPart[] {
  const content = getAt(message, ["parts"]) ?? getAt(message, ["content"]);
  if (typeof content === "string") return [{ type: "text", text: content.toWellFormed() }];
  return Array.isArray(content) ? content.flatMap(readPart) : [];
}

function readPart(part: Json): readonly ContentPart[] {
  const read = (key: string): string | undefined => {
    const value = getAt(part, [key]);
    return typeof value === "string" ? value.toWellFormed() : undefined;
  };
  const [type, text, url, mediaType, filename] = [
    read("type"),
    read("text"),
    read("url"),
    read("mediaType"),
    read("filename"),
  ];
  if (type === "text" && text !== undefined) return [{ type, text }];
  if (type !== "file" || url === undefined) return [];
  return [
    {
      type: mediaType?.startsWith("image/") ? "image" : "file",
      url,
      ...(mediaType !== undefined && { media_type: mediaType }),
      ...(filename !== undefined && { filename }),
    },
  ];
}
