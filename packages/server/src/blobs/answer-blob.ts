import type { LoadedFile } from "@reprise/contracts";
import { answer } from "../http/answer.ts";
import type { Call } from "../http/route.ts";
import { readRange } from "./byte-range.ts";
import { isMediaType } from "./read-upload.ts";

/** What a browser may show in a page. Anything else is for the disk: it came from outside, and might be a page itself. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+)(?:;|$)/i;

/** Answers with the bytes of a blob, or those of them that are wanted. */
export function answerBlob(call: Call, id: string, { content, media_type }: LoadedFile): Response {
  const request = call.context.req.raw.headers;
  // Tools, models and data URLs say of their bytes what they like; what is no media type is no header either.
  const type = media_type !== undefined && isMediaType(media_type) ? media_type : "application/octet-stream";
  const etag = `"${id}"`;
  const headers = {
    ...call.headers,
    // The same id is the same bytes for ever, for whoever may see them.
    "cache-control": "private, max-age=31536000, immutable",
    vary: "origin, authorization, x-api-key",
    "accept-ranges": "bytes",
    etag,
    // Whatever it is, nothing in it runs, and nothing is guessed about it.
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "content-disposition": SHOWN.test(type) ? "inline" : "attachment",
  };
  if (isKnown(request.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  const isSame = request.get("if-range") === null || request.get("if-range") === etag;
  const range = isSame ? readRange(request.get("range"), content.length) : undefined;
  if (range === "unsatisfiable") {
    const none = { "content-range": `bytes */${content.length}` };
    return answer(call, 416, { error: `range not satisfiable: the blob has ${content.length} bytes` }, none);
  }
  const { first, last } = range ?? { first: 0, last: content.length - 1 };
  const part = content.subarray(first, last + 1);
  // A copy would cost as much as the blob; a response reads these bytes and changes nothing.
  return new Response(part as Uint8Array<ArrayBuffer>, {
    status: range === undefined ? 200 : 206,
    headers: {
      ...headers,
      "content-type": type,
      "content-length": String(part.length),
      ...(range !== undefined && { "content-range": `bytes ${first}-${last}/${content.length}` }),
    },
  });
}

function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((known) => known.trim() === "*" || known.trim().replace(/^W\//, "") === etag);
}
