import { type ContentPart, type MessageInput, parseDataUrl } from "@reprise/contracts";
import type { HttpExchange } from "../host/route.ts";
import { badRequest } from "../http/http-refusal.ts";
import { runtimeUrl } from "./blob-url.ts";

/** Puts files that came inside of messages into the blob store: a thread holds no bytes. */
export function keepFiles(exchange: HttpExchange, messages: readonly MessageInput[]): Promise<readonly MessageInput[]> {
  return Promise.all(
    messages.map(async (message) => {
      const { content } = message;
      if (typeof content === "string") return message;
      return { ...message, content: await Promise.all(content.map((part) => keepFile(exchange, part))) };
    }),
  );
}

async function keepFile(exchange: HttpExchange, part: ContentPart): Promise<ContentPart> {
  if (part.type !== "image" && part.type !== "file") return part;
  if (!/^data:/i.test(part.url)) return { ...part, url: runtimeUrl(exchange, part.url) };
  const { content, mediaType } = readDataUrl(part.url);
  const media_type = part.media_type ?? mediaType;
  const { ref } = await exchange.runtime.blobs.put(content, { media_type });
  return { ...part, url: ref, media_type };
}

function readDataUrl(url: string): { readonly content: Uint8Array; readonly mediaType: string } {
  const parsed = parseDataUrl(url);
  try {
    if (parsed === undefined) throw new Error("This is no data URL.");
    const { mediaType, isBase64, body } = parsed;
    const content = isBase64
      ? Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
      : new TextEncoder().encode(decodeURIComponent(body));
    return { content, mediaType: mediaType === "" ? "text/plain" : mediaType };
  } catch {
    throw badRequest("a file of the message is no data URL that can be read");
  }
}
