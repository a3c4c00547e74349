import { blobRefOf, type ContentPart, type Message } from "@reprise/contracts";
import type { Runtime } from "@reprise/runtime";
import { getAt, type Json } from "@reprise/state";
import type { CursoredEvent } from "../sse/encode-frame.ts";

type Blobs = Runtime["blobs"];

/** Files of an answer up to this size travel as bytes, so that a client needs no second request. Larger ones travel as an address. */
const MAX_EMBEDDED_BYTES = 65_536;
/** One task carries at most so many bytes of files. */
const MAX_TASK_BYTES = 1_048_576;

interface Embedded {
  readonly url: string;
  readonly bytes: number;
}

/** A file of ours as a data URL. A large one, one that is gone and one of another server keep their name. */
async function embed(blobs: Blobs, url: string, maxBytes: number): Promise<Embedded> {
  const name = { url, bytes: 0 };
  if (!blobRefOf(url).startsWith("blob:")) return name;
  const found = await blobs.stream(url).catch(() => undefined);
  if (found === undefined || found.info.bytes > maxBytes) return name;
  let binary = "";
  for await (const chunk of found.content) for (const byte of chunk) binary += String.fromCharCode(byte);
  const { media_type = "application/octet-stream", bytes } = found.info;
  return { url: `data:${media_type};base64,${btoa(binary)}`, bytes };
}

/** The messages of a task, with the small files of its answers inside of them. The latest answers come first. */
export async function embedFiles(blobs: Blobs, messages: readonly Message[]): Promise<readonly Message[]> {
  let room = MAX_TASK_BYTES;
  const embedPart = async (part: ContentPart): Promise<ContentPart> => {
    if (part.type !== "image" && part.type !== "file") return part;
    const { url, bytes } = await embed(blobs, part.url, Math.min(room, MAX_EMBEDDED_BYTES));
    room -= bytes;
    return { ...part, url };
  };
  const embedded: Message[] = [];
  for (const message of messages.toReversed()) {
    const { role, content } = message;
    if (role !== "assistant" || typeof content === "string") embedded.unshift(message);
    else {
      const parts: ContentPart[] = [];
      for (const part of content) parts.push(await embedPart(part));
      embedded.unshift({ ...message, content: parts });
    }
  }
  return embedded;
}

/** An event that shows a file of ours, with the file inside when it is small. Undefined for any other event. */
export function embedFileOf(blobs: Blobs, item: CursoredEvent): Promise<CursoredEvent> | undefined {
  const { event } = item;
  if (event.type !== "activity_snapshot" || event.data.activity_type !== "file") return undefined;
  const { content } = event.data;
  const file = getAt(content, ["url"]);
  if (typeof file !== "string") return undefined;
  return embed(blobs, file, MAX_EMBEDDED_BYTES).then(({ url }) => {
    // It has a url, so it is an object.
    const data = { ...event.data, content: { ...(content as { readonly [key: string]: Json }), url } };
    return { ...item, event: { ...event, data } };
  });
}
