import type { BlobInfo, BlobLinkOptions, BlobRange, BlobReading } from "@reprise/contracts";
import type { HttpExchange } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { describeError } from "../http/describe-error.ts";
import { isMediaType } from "./read-upload.ts";
import { sendPieces } from "./send-pieces.ts";

/** What a browser may show in a page. Anything else is for the disk: it came from outside, and might be a page itself. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+)(?:;|$)/i;

/** Reads a blob of the caller's, or a range of it. */
export type ReadBlob = (range?: BlobRange) => Promise<BlobReading>;

/** An address where anybody reads it for a while. */
export type LinkToBlob = (options: BlobLinkOptions) => Promise<string | undefined>;

/** Answers with the bytes of a blob, or those of them that are wanted, as fast as they are read, or with where they are. */
export async function answerBlob(
  exchange: HttpExchange,
  id: string,
  { read, link }: { readonly read: ReadBlob; readonly link: LinkToBlob },
): Promise<Response> {
  const request = exchange.context.req.raw.headers;
  const whole = await read();
  const { bytes } = whole.info;
  const type = typeOf(whole.info);
  const etag = `"${id}"`;
  const headers = { ...exchange.headers, ...blobHeaders(type), etag };
  if (isKnown(request.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  const elsewhere = await redirect(exchange, type, link);
  if (elsewhere !== undefined) return elsewhere;
  const isSame = request.get("if-range") === null || request.get("if-range") === etag;
  const range = isSame ? readRange(request.get("range"), bytes) : undefined;
  if (range === "unsatisfiable") {
    const none = { "content-range": `bytes */${bytes}` };
    return answer(exchange, 416, { error: `range not satisfiable: the blob has ${bytes} bytes` }, none);
  }
  const { first, last } = range ?? { first: 0, last: bytes - 1 };
  const { content } = range === undefined ? whole : await read({ start: first, end: last + 1 });
  const body = sendPieces(content, (error) => breakOff(exchange, error));
  return new Response(body, {
    status: range === undefined ? 200 : 206,
    headers: {
      ...headers,
      "content-type": type,
      "content-length": String(last + 1 - first),
      ...(range !== undefined && { "content-range": `bytes ${first}-${last}/${bytes}` }),
    },
  });
}

/** Sends the client to the object store, where that is wanted and has the blob. Ranges are its business then. */
async function redirect(exchange: HttpExchange, type: string, link: LinkToBlob): Promise<Response | undefined> {
  const expires_s = exchange.host.blobLinkSeconds;
  if (expires_s === undefined || exchange.context.req.method === "HEAD") return undefined;
  const location = await link({ expires_s, media_type: type, disposition: dispositionOf(type) });
  if (location === undefined) return undefined;
  const headers = {
    ...exchange.headers,
    location,
    // The link is a key to the file: it is kept by nobody.
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  };
  return new Response(null, { status: 302, headers });
}

/** Its length was said, so the only way to tell the client that there is no more is to end the connection. */
function breakOff({ context, host }: HttpExchange, error: unknown): void {
  if (describeError(error).isOurs) host.report(error);
  context.env?.outgoing?.destroy();
}

/** Tools, models and data URLs say of their bytes what they like; what is no media type is no header either. */
function typeOf({ media_type }: BlobInfo): string {
  return media_type !== undefined && isMediaType(media_type) ? media_type : "application/octet-stream";
}

function blobHeaders(type: string): Readonly<Record<string, string>> {
  return {
    // The same id always names the same bytes.
    "cache-control": "private, max-age=31536000, immutable",
    vary: "origin, authorization, x-api-key",
    "accept-ranges": "bytes",
    // Whatever it is, nothing in it runs, and nothing is guessed about it.
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "content-disposition": dispositionOf(type),
  };
}

function dispositionOf(type: string): string {
  return SHOWN.test(type) ? "inline" : "attachment";
}

function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((known) => known.trim() === "*" || known.trim().replace(/^W\//, "") === etag);
}

/** Which bytes are wanted: from the first to the last, both included. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a `Range` header. Undefined is the whole blob, which is also the answer to several ranges at once and to unknown units;
 * `unsatisfiable` is a range that lies behind the end.
 */
function readRange(header: string | null, bytes: number): ByteRange | "unsatisfiable" | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return undefined;
  if (from === "") {
    // The last so many.
    const wanted = Math.min(Number(to), bytes);
    return wanted === 0 ? "unsatisfiable" : { first: bytes - wanted, last: bytes - 1 };
  }
  const first = Number(from);
  const last = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (first >= bytes) return "unsatisfiable";
  return last < first ? undefined : { first, last };
}
