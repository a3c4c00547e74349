import type { Json } from "@reprise/state";
import type { HttpExchange, Reserved, Route } from "../host/route.ts";
import { describeError } from "../http/describe-error.ts";
import { assertSameRequest, IDEMPOTENCY_KIND, REMEMBERED_MS, readRepeatKey } from "./repeat-key.ts";

/** What is remembered of a request: the ids that are reserved for it, how things stood, and how it was answered. */
interface Remembered {
  readonly fingerprint: string;
  readonly answer: { readonly status: number; readonly text: string; readonly headers: readonly string[][] } | null;
  /** Absent where the key was used for a streamed run, whose reservation is another one. */
  readonly reserved?: Omit<Reserved, "isRepeat">;
}

/**
 * Answers a request that was answered before under the same key with the same answer, and does it once. When there is no answer,
 * because a process died in between or is still at it, the route is asked again under the ids that were reserved first: what was
 * begun is found in the store, not begun anew.
 */
export async function answerOnce(exchange: HttpExchange, route: Route): Promise<Response> {
  const key = await readRepeatKey(exchange);
  if (key === undefined) return route.handle(exchange);
  const { documents } = exchange.runtime;
  const documentKey = { kind: IDEMPOTENCY_KIND, id: key.id };
  const reserved = {
    run_id: crypto.randomUUID(),
    thread_id: crypto.randomUUID(),
    ...(route.before !== undefined && { before: await route.before(exchange) }),
  };
  const begun: Remembered = { fingerprint: key.fingerprint, answer: null, reserved };
  const expires_at = exchange.runtime.now() + REMEMBERED_MS;
  const { saved, document } = await documents.saveDocument({ ...documentKey, body: asJson(begun), expires_at }, 0);
  // What was in the way ran out meanwhile.
  if (!saved && document === undefined) return answerOnce(exchange, route);
  // Written here, or by the reservation of a streamed run, which has another fingerprint.
  const remembered = (document?.body ?? begun) as unknown as Remembered;
  assertSameRequest(key, remembered.fingerprint);
  if (remembered.answer !== null && remembered.answer !== undefined) return repeat(exchange, remembered.answer);
  const own: HttpExchange = { ...exchange, reserved: { ...(remembered.reserved ?? reserved), isRepeat: !saved } };
  try {
    const response = await route.handle(own);
    await keep(response).catch((error: unknown) => exchange.host.report(error));
    return response;
  } catch (error) {
    // What was refused may be sent again and is then judged anew. What failed may have begun: its ids stay reserved, and so do
    // those of a repeat, since an earlier try may be at work.
    const isRefused = describeError(error).status < 500;
    if (isRefused && saved) {
      await documents.deleteDocument(documentKey.kind, documentKey.id, document?.revision ?? 0);
    }
    throw error;
  }

  /** When this fails, the request was still executed, and the client gets its answer. */
  async function keep(response: Response): Promise<void> {
    const text = await response.clone().text();
    const answer = { status: response.status, text, headers: [...response.headers].map((pair) => [...pair]) };
    const body = asJson({ ...remembered, answer });
    await documents.saveDocument({ ...documentKey, body, expires_at }, document?.revision ?? 0);
  }
}

function repeat(exchange: HttpExchange, answer: NonNullable<Remembered["answer"]>): Response {
  const kept = Object.fromEntries(answer.headers);
  return new Response(answer.text, { status: answer.status, headers: { ...kept, ...exchange.headers } });
}

/** Plain JSON, which its interface hides from the compiler. */
function asJson(remembered: Remembered): Json {
  return remembered as unknown as Json;
}
