import { isJson, type Json, MAX_DEPTH, parseJson } from "@reprise/state";
import { badRequest, HttpRefusal } from "./http-refusal.ts";
import { measureJson } from "./measure-json.ts";

/** A JSON object that came from outside: every field still has to be looked at. */
export type JsonBody = { readonly [key: string]: Json };

/** Reading a key costs far more than its bytes. */
const MAX_KEYS = 10_000;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** The body as text, empty when there is none. Its size is looked at while it comes: what a header says about it may be wrong. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") throw new HttpRefusal(415, "unsupported media type: send the body without an encoding");
  const bytes = await readBytes(request, maxBytes).catch(refuseBroken);
  if (bytes.length === 0) return "";
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) {
    throw new HttpRefusal(415, "unsupported media type: send application/json");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("the body is not UTF-8");
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  // Of a body whose length was said, and is within its limit, no more than that comes: it need not be watched.
  if (request.headers.has("content-length")) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    length += part.value.length;
    if (length > maxBytes) {
      await reader?.cancel().catch(() => undefined);
      throw tooLarge(maxBytes);
    }
    parts.push(part.value);
  }
  if (parts.length === 1 && parts[0] !== undefined) return parts[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Reads a JSON object that is no deeper than a document may be. */
export function parseObject(text: string): JsonBody {
  if (text === "") throw badRequest("the body is empty; send a JSON object");
  const { depth, keys } = measureJson(text);
  if (depth > MAX_DEPTH) throw badRequest("the body nests too deep");
  if (keys > MAX_KEYS) throw badRequest(`the body has more than ${MAX_KEYS} keys`);
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    throw badRequest("the body is not JSON");
  }
  // It is not too deep, so what is left is a number without an end.
  if (!isJson(value)) throw badRequest("a number in the body is too large");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest("the body is not a JSON object");
  // An object, as was just checked; arrays of the type are readonly, which the check above does not tell the compiler.
  return value as JsonBody;
}

/** A client that disconnects in the middle is no error; most probably it does not get this answer. */
function refuseBroken(error: unknown): never {
  throw error instanceof HttpRefusal ? error : badRequest("the body broke off");
}

function tooLarge(maxBytes: number): HttpRefusal {
  // The rest of the body is still on its way and is not read.
  return new HttpRefusal(413, `payload too large: a body has at most ${maxBytes} bytes`, { connection: "close" });
}
