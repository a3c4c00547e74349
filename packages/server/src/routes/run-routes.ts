import { MAX_LIMIT, RUN_ORIGINS } from "@reprise/contracts";
import type { Budgets, RunHandle, TenantRuntime } from "@reprise/runtime";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer, idHeaders, warningHeaders } from "../http/answer.ts";
import { answerPage } from "../http/answer-list.ts";
import { Query } from "../http/query.ts";
import { submitOnce } from "../idempotency/submit-once.ts";
import { assertScope } from "../security/principal.ts";
import { respondWithEvents } from "../sse/respond-with-events.ts";
import { decodeRunRequest } from "../wire/decode-run-request.ts";
import { encodeQueuedRun, encodeRun } from "../wire/encode-run.ts";
import { findRecord } from "../wire/find-record.ts";
import { readFields } from "../wire/read-fields.ts";
import { CHILDREN } from "./run-event-routes.ts";
import * as schema from "./run-routes.schema.ts";

const TIMES = ["created_at_from", "created_at_to", "updated_at_from", "updated_at_to"] as const;

const BUDGET_FIELDS = {
  limit_microcents: ["limitMicrocents", "limit_microcents"],
  limit_tokens: ["limitTokens", "limit_tokens"],
} as const;

/** Runs: list, look, start, cancel. */
export const runRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/runs",
    scope: "read",
    operation: schema.list,
    async handle(exchange) {
      const query = new Query(exchange.context.req.url);
      const status = query.oneOf("status", ["running", "waiting", "done"]);
      const origin = query.oneOf("origin", RUN_ORIGINS);
      const filter = {
        ...query.texts("thread_id", "parent_run_id", "agent_id", "termination_code"),
        ...query.wholeNumbers(...TIMES),
        ...(status !== undefined && { status }),
        ...(origin !== undefined && { origin }),
      };
      const read = (offset: number, limit: number) => exchange.runtime.runs({ ...filter, offset, limit });
      return answerPage(exchange, query.page(), read, encodeRun);
    },
  },
  {
    method: "POST",
    path: "/v1/runs",
    scope: "run",
    operation: schema.start,
    knowsRepeats: true,
    opensStream: true,
    async handle(exchange) {
      const children = new Query(exchange.context.req.url).oneOf("children", CHILDREN);
      const { request, warnings } = decodeRunRequest(await exchange.body.json());
      if (request.initial_decisions !== undefined) assertScope(exchange.principal, "decide");
      // Decisions alone begin no run: the events are those of a run that was there before.
      const isOnlyDeciding = request.initial_decisions !== undefined && request.messages.length === 0;
      if (isOnlyDeciding) assertScope(exchange.principal, "read");
      // Accepted durably before a word is answered. A run whose turn has not come is silent until it has.
      const run = await submitOnce(exchange, request);
      const headers = { ...idHeaders({ run: run.id, thread: run.threadId }), ...warningHeaders(warnings) };
      const options = children === undefined ? {} : { children };
      return respondWithEvents(exchange, (signal) => run.eventsWithCursor({ ...options, signal }), headers);
    },
  },
  {
    method: "GET",
    path: "/v1/runs/:id",
    scope: "read",
    operation: schema.get,
    handle: async (exchange) => answer(exchange, 200, await loadRun(exchange.runtime, pathPart(exchange, "id"))),
  },
  {
    method: "POST",
    path: "/v1/runs/:id/cancel",
    scope: "run",
    operation: schema.cancel,
    handle: async (exchange) => cancelOnce(exchange, await exchange.runtime.run(pathPart(exchange, "id"))),
  },
  {
    method: "GET",
    path: "/v1/runs/:id/budget",
    scope: "read",
    operation: schema.budget,
    handle: async (exchange) => answer(exchange, 200, await exchange.runtime.budgets.get(pathPart(exchange, "id"))),
  },
  {
    method: "PATCH",
    path: "/v1/runs/:id/budget",
    scope: "admin",
    operation: schema.setBudget,
    async handle(exchange) {
      // The runtime says what a limit may be.
      const limits = readFields(await exchange.body.json(), BUDGET_FIELDS) as Parameters<Budgets["setLimit"]>[1];
      return answer(exchange, 200, await exchange.runtime.budgets.setLimit(pathPart(exchange, "id"), limits));
    },
  },
];

/** Asks for the end of a run. A request that is sent again asks once. */
export async function cancelOnce(exchange: HttpExchange, run: RunHandle): Promise<Response> {
  if (!(exchange.reserved?.isRepeat && (await wasCancelled(exchange.runtime, run.id)))) await run.cancel();
  return answer(exchange, 202, { status: "cancel_requested", run_id: run.id });
}

/** Whether the store has a request to cancel a run, whatever became of the run. */
async function wasCancelled({ mailbox }: TenantRuntime, runId: string): Promise<boolean> {
  const { items } = await mailbox.list({ runId: runId, limit: MAX_LIMIT });
  return items.some(({ kind, status }) => kind === "cancel" || (kind === "run" && status === "cancelled"));
}

/** A run by its record, or, before it has one, by its entry in the mailbox. */
async function loadRun(runtime: TenantRuntime, runId: string): Promise<object> {
  const run = await runtime.run(runId);
  const record = await findRecord(run);
  // Runs below may still be at work: what they took is added up now.
  if (record?.has_children) return encodeRun({ ...record, total: await runtime.costs.ofRunsBelow(record) });
  if (record !== undefined) return encodeRun(record);
  const { items } = await runtime.mailbox.list({ runId: runId });
  const entry = items.find(({ kind }) => kind === "run");
  // Between the two looks it may have begun.
  return entry === undefined || entry.status === "accepted" ? encodeRun(await run.record()) : encodeQueuedRun(entry);
}
