import type { HttpExchange } from "../host/route.ts";
import { badRequest, HttpRefusal } from "../http/http-refusal.ts";
import { digest } from "../security/digest.ts";

/** The kind of the documents that remember what was answered. */
export const IDEMPOTENCY_KIND = "idempotency";

/** How long an answer is remembered. */
export const REMEMBERED_MS = 86_400_000;

/** A request that may be sent again. */
export interface RepeatKey {
  /** The id of the document that remembers it: a principal and its key, so that keys of two principals never meet. */
  readonly id: string;
  /** What was asked; the same key for something else is a mistake. */
  readonly fingerprint: string;
}

/** Reads the `Idempotency-Key` of a request; undefined when it has none. */
export async function readRepeatKey({ context, principal, body }: HttpExchange): Promise<RepeatKey | undefined> {
  const key = context.req.header("idempotency-key");
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw badRequest("Idempotency-Key has 1 to 255 visible ASCII characters");
  const { pathname, search } = new URL(context.req.url);
  const [id, fingerprint] = await Promise.all([
    digest(principal.id, key),
    digest(context.req.method, pathname, search, await body.text()),
  ]);
  return { id, fingerprint };
}

/** Refuses a key that was used for something else. */
export function assertSameRequest(key: RepeatKey, fingerprint: string): void {
  if (fingerprint === key.fingerprint) return;
  throw new HttpRefusal(409, "conflict: this Idempotency-Key was used for another request");
}
