import { type FilePart, ModelError, type ModelRequest, parseDataUrl } from "@reprise/contracts";
import { refuse } from "./model-options.ts";

/** A file of a message, as a provider gets it: an address it reads itself, or the bytes in base64. */
export type ReadyFile =
  | { readonly kind: "url"; readonly url: string; readonly mediaType: string }
  | { readonly kind: "data"; readonly base64: string; readonly mediaType: string };

/** How one request gets at its files. */
export interface FileReading {
  /** The id of the model, for messages. */
  readonly model: string;
  readonly load: ModelRequest["load"];
  /** Whether the provider can read this address itself. */
  takesUrl(url: string, mediaType: string): boolean;
}

/**
 * Makes a file ready for a provider. Addresses on the web are passed on where the provider reads them itself; everything else
 * is read by the runtime, which knows what it may open. This code opens nothing.
 */
export async function readFile(reading: FileReading, part: FilePart): Promise<ReadyFile> {
  const { url } = part;
  const inline = readDataUrl(reading.model, url);
  if (inline !== undefined) return { kind: "data", ...inline, mediaType: part.media_type ?? inline.mediaType };
  const mediaType = part.media_type ?? (part.type === "image" ? "image/*" : "application/octet-stream");
  if (/^https?:/i.test(url) && reading.takesUrl(url, mediaType)) return { kind: "url", url, mediaType };
  const loaded = await load(reading, url);
  return {
    kind: "data",
    base64: toBase64(loaded.content),
    mediaType: part.media_type ?? loaded.media_type ?? mediaType,
  };
}

async function load({ model, load: read }: FileReading, url: string) {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? "";
  if (!["http", "https", "blob", "media"].includes(scheme)) {
    throw refuse(model, `a file is named by ${JSON.stringify(`${scheme}:`)}, which cannot be read`);
  }
  if (read === undefined)
    throw refuse(model, `it cannot read a file named by \`${scheme}:\`, and the request has no way to load it`);
  try {
    return await read(url);
  } catch (error) {
    throw new ModelError(
      "invalid_request",
      `Model ${model} was not asked: a file named by \`${scheme}:\` could not be loaded.`,
      {
        cause: error,
      },
    );
  }
}

function readDataUrl(model: string, url: string): { readonly base64: string; readonly mediaType: string } | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const parsed = parseDataUrl(url);
  if (parsed === undefined) throw refuse(model, "a `data:` URL has no data");
  const { mediaType, isBase64, body } = parsed;
  return { base64: isBase64 ? body : encodeText(model, body), mediaType: mediaType || "text/plain" };
}

function encodeText(model: string, body: string): string {
  try {
    return toBase64(new TextEncoder().encode(decodeURIComponent(body)));
  } catch {
    throw refuse(model, "a `data:` URL is not well formed");
  }
}

function toBase64(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("base64");
}
