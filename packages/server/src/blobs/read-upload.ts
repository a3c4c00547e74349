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

/** The bytes of an upload. Counted while they come: what a header says about them may be wrong. */
export async function readUpload(request: Request, maxBytes: number): Promise<Uint8Array> {
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity") {
    throw new HttpRefusal(415, "unsupported media type: send the bytes without an encoding");
  }
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  const bytes = await collect(request, maxBytes, announced);
  if (bytes.length === 0) throw badRequest("the body is empty; send the bytes of the blob");
  return bytes;
}

/** What is announced, and allowed, is put where it stays; anything else grows as it comes. */
async function collect(request: Request, maxBytes: number, announced: number): Promise<Uint8Array> {
  let whole = new Uint8Array(Number.isSafeInteger(announced) && announced > 0 ? announced : 65_536);
  let length = 0;
  const reader = request.body?.getReader();
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      const end = length + part.value.length;
      if (end > maxBytes) {
        await reader?.cancel().catch(() => undefined);
        throw tooLarge(maxBytes);
      }
      if (end > whole.length) whole = grow(whole, Math.min(Math.max(end, whole.length * 2), maxBytes));
      whole.set(part.value, length);
      length = end;
    }
  } catch (error) {
    throw error instanceof HttpRefusal ? error : badRequest("the body broke off");
  }
  return whole.subarray(0, length);
}

function grow(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}

function tooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(413, `payload too large: a blob has at most ${maxBytes} bytes`, { connection: "close" });
}
