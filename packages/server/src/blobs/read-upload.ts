import { RepriseError } from "@reprise/contracts";
import { badRequest, HttpRefusal } from "../http/http-refusal.ts";

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,63}\/[\w!#$&^.+-]{1,63}(?:\s*;\s*[\w-]{1,40}=(?:[\w.+-]{1,80}|"[\w .+-]{1,80}"))*$/;

export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text);
}

/** What a client says its bytes are. Kept and given back, so it must be a media type and nothing else. */
export function readMediaType(headers: Headers): string {
  const type = headers.get("content-type") ?? "application/octet-stream";
  if (!isMediaType(type)) throw badRequest("content-type is not a media type");
  return type;
}

/** The bytes of an upload as they come. What is announced as too large is refused before any does. */
export function readUpload(request: Request, maxBytes: number): AsyncIterable<Uint8Array> {
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity") {
    throw new HttpRefusal(415, "unsupported media type: send the bytes without an encoding");
  }
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return receive(request);
}

/** What a store said of an upload, in the words of this server. */
export function describeUploadError(error: unknown, maxBytes: number): unknown {
  return RepriseError.is(error, "BLOB_TOO_LARGE") ? tooLarge(maxBytes) : error;
}

/** Reads from the client only as fast as the store writes. */
async function* receive(request: Request): AsyncGenerator<Uint8Array, void> {
  const reader = request.body?.getReader();
  let isOver = false;
  let bytes = 0;
  try {
    for (;;) {
      const part = await reader?.read().catch(() => {
        throw badRequest("the body broke off");
      });
      if (part?.value === undefined) break;
      bytes += part.value.byteLength;
      yield part.value;
    }
    isOver = true;
  } finally {
    if (!isOver) await reader?.cancel().catch(() => undefined);
  }
  if (bytes === 0) throw badRequest("the body is empty; send the bytes of the blob");
}

function tooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(413, `payload too large: a blob has at most ${maxBytes} bytes`, { connection: "close" });
}
