import type { Json } from "@reprise/state";
import type { HttpExchange, Reserved, Route } from "../host/route.ts";
import { describeError } from "../http/describe-error.ts";
import { HttpRefusal } from "../http/http-refusal.ts";
import { assertSameRequest, IDEMPOTENCY_KIND, REMEMBERED_MS, readRepeatKey } from "./repeat-key.ts";

/** Longer than any request without reserved ids takes: after that, the process that worked on it is taken for dead. */
const WORKING_MS = 60_000;

/** What is remembered of a request: the ids that are reserved for it, and how it was answered. */
interface Remembered {
  readonly fingerprint: string;
  readonly answer: { readonly status: number; readonly text: string; readonly headers: readonly string[][] } | null;
  readonly reserved?: Pick<Reserved, "run_id" | "thread_id">;
}

/**
 * Answers a request that was answered before under the same key with the same answer, and does it once. A route that works under
 * reserved ids is asked again when there is no answer, whoever died in between: what it began under them is found, not begun anew.
 */
export async function answerOnce(exchange: HttpExchange, route: Route): Promise<Response> {
  const key = await readRepeatKey(exchange);
  if (key === undefined) return route.handle(exchange);
  const { documents } = exchange.runtime;
  const documentKey = { kind: IDEMPOTENCY_KIND, id: key.id };
  const reserved = route.usesReserved ? { run_id: crypto.randomUUID(), thread_id: crypto.randomUUID() } : undefined;
  const begun: Remembered = { fingerprint: key.fingerprint, answer: null, ...(reserved && { reserved }) };
  const expiresIn = (ms: number): number => exchange.runtime.now() + ms;
  const { saved, document } = await documents.saveDocument(
    { ...documentKey, body: asJson(begun), expires_at: expiresIn(reserved === undefined ? WORKING_MS : REMEMBERED_MS) },
    0,
  );
  // Written here, or by the reservation of a streamed run, which has another fingerprint.
  const remembered = (document?.body ?? begun) as unknown as Remembered;
  assertSameRequest(key, remembered.fingerprint);
  if (remembered.answer !== null && remembered.answer !== undefined) return repeat(exchange, remembered.answer);
  // What was in the way may be gone by now; then this is the first request after all, and the client may send it again.
  if (!saved && (remembered.reserved === undefined || document === undefined)) throw underWay();
  const isRepeat = !saved;
  const own: HttpExchange =
    remembered.reserved === undefined ? exchange : { ...exchange, reserved: { ...remembered.reserved, isRepeat } };
  try {
    const response = await route.handle(own);
    await keep(response).catch((error: unknown) => exchange.host.report(error));
    return response;
  } catch (error) {
    // What was refused may be sent again and is then judged anew. What failed may have begun: its ids stay reserved.
    const isRefused = describeError(error).status < 500;
    if (isRefused || remembered.reserved === undefined) {
      await documents.deleteDocument(documentKey.kind, documentKey.id, document?.revision ?? 0);
    }
    throw error;
  }

  /** When this fails the request is done all the same, and whoever asked is told so. */
  async function keep(response: Response): Promise<void> {
    const text = await response.clone().text();
    const answer = { status: response.status, text, headers: [...response.headers].map((pair) => [...pair]) };
    const body = asJson({ ...remembered, answer });
    await documents.saveDocument(
      { ...documentKey, body, expires_at: expiresIn(REMEMBERED_MS) },
      document?.revision ?? 0,
    );
  }
}

function repeat(exchange: HttpExchange, answer: NonNullable<Remembered["answer"]>): Response {
  const kept = Object.fromEntries(answer.headers);
  return new Response(answer.text, { status: answer.status, headers: { ...kept, ...exchange.headers } });
}

function underWay(): HttpRefusal {
  return new HttpRefusal(409, "conflict: a request with this Idempotency-Key is under way", { "retry-after": "1" });
}

/** Plain JSON, which its interface hides from the compiler. */
function asJson(remembered: Remembered): Json {
  return remembered as unknown as Json;
}
