import type { HttpExchange } from "../host/route.ts";
import { badRequest } from "../http/http-refusal.ts";
import { assertSameRequest, IDEMPOTENCY_KIND, REMEMBERED_MS } from "../idempotency/repeat-key.ts";
import { digest } from "../security/digest.ts";

/** A signed request that begins a run. */
export interface Delivery {
  readonly workflowId: string;
  /** The digits of its signature. */
  readonly digits: string;
}

/**
 * The signature under which a delivery came first: its own, unless its sender names it and has sent it before with another time. A name is not
 * signed, so it only leads to a run that a signature has begun: a stolen request under a new name is still the run that it was.
 */
export async function findDelivery(
  { context, runtime, body }: Pick<HttpExchange, "context" | "runtime" | "body">,
  { workflowId, digits }: Delivery,
): Promise<string> {
  const name = context.req.header("idempotency-key") ?? context.req.header("x-reprise-delivery");
  if (name === undefined) return digits;
  if (!/^[\x21-\x7e]{1,255}$/.test(name)) {
    throw badRequest("Idempotency-Key and X-Reprise-Delivery have 1 to 255 visible ASCII characters");
  }
  const [id, fingerprint] = await Promise.all([
    digest("webhook", workflowId, name),
    digest("webhook", workflowId, await body.text()),
  ]);
  for (;;) {
    const expires_at = runtime.now() + REMEMBERED_MS;
    const document = { kind: IDEMPOTENCY_KIND, id, body: { fingerprint, digits }, expires_at };
    const { saved, document: stored } = await runtime.documents.saveDocument(document, 0);
    if (saved) return digits;
    // What was in the way ran out meanwhile.
    if (stored === undefined) continue;
    // Written above.
    const first = stored.body as { readonly fingerprint: string; readonly digits: string };
    assertSameRequest({ id, fingerprint }, first.fingerprint);
    return first.digits;
  }
}
