import { type FilePart, mediaHandle, parseDataUrl } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { NodeBlobs } from "./agent-runner-deps.ts";

/** A file in the output of a node. Its bytes are a blob: outputs hold none. */
export interface MediaPart {
  readonly type: "image" | "file";
  /** `media://blob:…`, or where the provider keeps it. */
  readonly url: string;
  readonly media_type: string;
}

/** The output of a node that made media. */
export function mediaOutput(text: string, media: readonly MediaPart[]): JsonObject {
  return { text, media: media.map((part) => ({ ...part })) };
}

export async function keepMedia(blobs: NodeBlobs, content: Uint8Array, media_type: string): Promise<MediaPart> {
  const { ref } = await blobs.put(content, { media_type });
  return { type: media_type.startsWith("image/") ? "image" : "file", url: mediaHandle(ref), media_type };
}

/** The files of a model's answer as parts of an output; undefined when one of them cannot be read. */
export async function keepFiles(
  blobs: NodeBlobs,
  files: readonly FilePart[],
): Promise<readonly MediaPart[] | undefined> {
  const kept: MediaPart[] = [];
  for (const { type, url, media_type = "application/octet-stream" } of files) {
    if (!url.startsWith("data:")) {
      kept.push({ type, url, media_type });
      continue;
    }
    const content = bytesOf(url);
    if (content === undefined) return undefined;
    kept.push(await keepMedia(blobs, content, media_type));
  }
  return kept;
}

function bytesOf(url: string): Uint8Array | undefined {
  try {
    const { isBase64, body } = parseDataUrl(url) ?? { isBase64: false, body: url };
    if (!isBase64) return new TextEncoder().encode(decodeURIComponent(body));
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
