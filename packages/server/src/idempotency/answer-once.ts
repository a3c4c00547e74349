import { HttpRefusal } from "../http/http-refusal.ts";
import type { Call } from "../http/route.ts";
import { assertSameRequest, IDEMPOTENCY_KIND, REMEMBERED_MS, type RepeatKey, readRepeatKey } from "./repeat-key.ts";

/** Longer than any such request takes: after that, who was working on it is thought dead. */
const WORKING_MS = 60_000;

/** What is remembered of a request: nothing yet, or how it was answered. */
interface Remembered {
  readonly fingerprint: string;
  readonly answer: { readonly status: number; readonly text: string; readonly headers: readonly string[][] } | null;
}

/** Answers a request that was answered before under the same key with the same answer, and does it once. */
export async function answerOnce(call: Call, produce: () => Promise<Response>): Promise<Response> {
  const key = await readRepeatKey(call);
  if (key === undefined) return produce();
  const { documents } = call.runtime;
  const place = { kind: IDEMPOTENCY_KIND, id: key.id };
  const begun = { ...place, body: asJson(key, null), expires_at: Date.now() + WORKING_MS };
  const { saved, document } = await documents.saveDocument(begun, 0);
  // What was in the way may be gone by now; then this is the first request after all, and the client may send it again.
  if (!saved) return repeat(call, key, document?.body);
  const response = await produce().catch(async (error: unknown) => {
    // What was refused may be sent again and is then judged anew.
    await documents.deleteDocument(place.kind, place.id, document.revision);
    throw error;
  });
  try {
    const text = await response.clone().text();
    const answer = { status: response.status, text, headers: [...response.headers].map((pair) => [...pair]) };
    const expires_at = Date.now() + REMEMBERED_MS;
    await documents.saveDocument({ ...place, body: asJson(key, answer), expires_at }, document.revision);
  } catch (error) {
    // It is done, and who asked is told so; sent again it is refused for as long as the reservation stays.
    call.host.report(error);
  }
  return response;
}

function repeat(call: Call, key: RepeatKey, body: unknown): Response {
  // Written by `answerOnce`, or by the reservation of a run, which has no answer.
  const { fingerprint = key.fingerprint, answer = null } = (body ?? {}) as Partial<Remembered>;
  assertSameRequest(key, fingerprint);
  if (answer === null) {
    throw new HttpRefusal(409, "conflict: a request with this Idempotency-Key is under way", { "retry-after": "1" });
  }
  const kept = Object.fromEntries(answer.headers);
  return new Response(answer.text, { status: answer.status, headers: { ...kept, ...call.headers } });
}

function asJson({ fingerprint }: RepeatKey, answer: Remembered["answer"]) {
  return { fingerprint, answer: answer === null ? null : { ...answer } };
}
