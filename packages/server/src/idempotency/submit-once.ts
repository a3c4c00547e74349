import { type RunRequest, readTraceContext } from "@reprise/contracts";
import type { RunHandle } from "@reprise/runtime";
import type { HttpExchange } from "../host/route.ts";
import { assertScope, deciderOf, hasScope } from "../security/principal.ts";
import { findRun } from "../wire/find-record.ts";
import { assertSameRequest, IDEMPOTENCY_KIND, REMEMBERED_MS, readRepeatKey } from "./repeat-key.ts";

/** The ids a run was given when it was first asked for. */
interface Reservation {
  readonly fingerprint: string;
  readonly run_id: string;
  readonly thread_id: string;
  /** The request held decisions alone: this is the run they were for, and they are stored. */
  readonly is_forwarded?: true;
}

/**
 * Starts a run. Sent again under the same key it is the same run: its ids are remembered before it is started, and a run is
 * started once under its id. So nothing is lost and nothing done twice, wherever the first try ended.
 */
export async function submitOnce(exchange: HttpExchange, asked: RunRequest): Promise<RunHandle> {
  const { runtime } = exchange;
  const { origin = asked.origin } = exchange.context.env ?? {};
  const request = { ...withTrace(exchange, asked), ...(origin !== undefined && { origin }) };
  const options = { capBudget: !hasScope(exchange.principal, "admin"), ...deciderOf(exchange.principal) };
  const key = await readRepeatKey(exchange);
  if (key === undefined) {
    const run = await runtime.submit(request, options);
    // A client may see the run that it begins. An earlier run may belong to another client.
    if (run.isEarlier) assertScope(exchange.principal, "read");
    return run;
  }
  const { run_id, thread_id } = runtime.prepare(request);
  const body = { fingerprint: key.fingerprint, run_id, thread_id };
  const expires_at = runtime.now() + REMEMBERED_MS;
  const documentKey = { kind: IDEMPOTENCY_KIND, id: key.id };
  const { saved, document } = await runtime.documents.saveDocument({ ...documentKey, body, expires_at }, 0);
  // What was in the way ran out meanwhile.
  if (!saved && document === undefined) return submitOnce(exchange, request);
  // Written here, or by another route under the same key, which has another fingerprint.
  const reserved = document?.body as unknown as Reservation;
  assertSameRequest(key, reserved.fingerprint);
  if (reserved.is_forwarded) return runtime.run(reserved.run_id);
  // A key that was used before is this principal's own, and so is the run whose id was made for it.
  const isOwn = !saved && request.run_id === undefined && request.dedupe_key === undefined;
  const begun = isOwn ? await findRun(runtime, reserved.run_id) : undefined;
  if (begun !== undefined) return begun;
  const named = { ...request, run_id: reserved.run_id, thread_id: reserved.thread_id };
  const run = await runtime.submit(named, options);
  if (run.isEarlier && !isOwn) assertScope(exchange.principal, "read");
  if (run.id !== reserved.run_id && document !== undefined) {
    const forwarded = { ...body, run_id: run.id, thread_id: run.threadId, is_forwarded: true };
    await runtime.documents.saveDocument({ ...documentKey, body: forwarded, expires_at }, document.revision);
  }
  return run;
}

/** The run continues the trace that the client's header names. */
export function withTrace({ context }: HttpExchange, request: RunRequest): RunRequest {
  if (request.traceparent !== undefined) return request;
  const [traceparent, tracestate] = [context.req.header("traceparent"), context.req.header("tracestate")];
  return { ...request, ...readTraceContext(traceparent?.trim(), tracestate?.trim()) };
}

/** The run that the decisions of an earlier request under the same key went to; undefined when there was none. */
export async function findForwarded(exchange: HttpExchange): Promise<RunHandle | undefined> {
  const key = await readRepeatKey(exchange);
  const document =
    key === undefined ? undefined : await exchange.runtime.documents.loadDocument(IDEMPOTENCY_KIND, key.id);
  if (key === undefined || document === undefined) return undefined;
  // Written above, or by another route under the same key, which has another fingerprint.
  const reserved = document.body as unknown as Reservation;
  assertSameRequest(key, reserved.fingerprint);
  return reserved.is_forwarded ? exchange.runtime.run(reserved.run_id) : undefined;
}
