import type { ContentPart, Message } from "@reprise/contracts";
import { type Json, parseJson } from "@reprise/state";
import type { A2aArtifact, A2aMessage, A2aPart } from "./wire.ts";

/** Where a client finds a file. The names by which the runtime keeps files mean nothing outside of it. */
export type FileUrl = (url: string) => string;

export const asIs: FileUrl = (url) => url;

/** The content of a message. Reasoning is the agent's own. */
function encodeParts(content: Message["content"], fileUrl: FileUrl): readonly A2aPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  return content.flatMap((part) => encodePart(part, fileUrl));
}

function encodePart(part: ContentPart, fileUrl: FileUrl): readonly A2aPart[] {
  if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
  if (part.type === "reasoning") return [];
  return [encodeFile(part.url, part.media_type, part.filename, fileUrl)];
}

const BASE64 = /^data:([^;,]*)(?:;[^,]*)?;base64,/i;

/** A file inside of a data URL is sent as bytes, or as structured data when it is JSON without a name. Any other is sent as its address. */
export function encodeFile(
  url: string,
  mediaType: string | undefined,
  filename: string | undefined,
  fileUrl: FileUrl,
): A2aPart {
  const [start, type] = BASE64.exec(url) ?? [];
  const data =
    filename === undefined && isJson(mediaType ?? type) ? readJson(url.slice(start?.length ?? 0)) : undefined;
  if (start !== undefined && data !== undefined) return { data, mediaType: JSON_TYPE };
  const named = {
    ...(filename !== undefined && { filename }),
    ...((mediaType ?? type) !== undefined && { mediaType: mediaType ?? type ?? "" }),
  };
  return start === undefined ? { url: fileUrl(url), ...named } : { raw: url.slice(start.length), ...named };
}

const JSON_TYPE = "application/json";

function isJson(mediaType: string | undefined): boolean {
  return mediaType?.split(";")[0]?.trim().toLowerCase() === JSON_TYPE;
}

/** The value that base64 holds as JSON; undefined when it holds none. */
function readJson(base64: string): Json | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Whether a message of a thread is one that clients of a task see. */
export function isPublic({ role, visibility }: Message): boolean {
  return visibility === undefined && (role === "user" || role === "assistant");
}

export function encodeMessage(
  message: Message,
  ids: { taskId?: string; contextId: string },
  fileUrl: FileUrl,
): A2aMessage {
  return {
    messageId: message.id,
    ...ids,
    role: message.role === "user" ? "ROLE_USER" : "ROLE_AGENT",
    parts: encodeParts(message.content, fileUrl),
  };
}

/** The artifacts of an answer: its text, and each of its files. A stream of the run gives them the same ids. */
export function artifactsOf(message: Message, fileUrl: FileUrl): readonly A2aArtifact[] {
  const { id, content } = message;
  const parts = encodeParts(content, fileUrl);
  const texts = parts.filter(({ text }) => text !== undefined);
  const files = parts.filter(({ text }) => text === undefined);
  return [
    ...(texts.length === 0 ? [] : [{ artifactId: id, parts: texts }]),
    ...files.map((part, index) => ({ artifactId: `${id}-f${index}`, parts: [part] })),
  ];
}
