import { pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { answerPage } from "../http/answer-list.ts";
import { Query } from "../http/query.ts";
import { deciderOf } from "../security/principal.ts";
import { decodeVerb } from "../wire/decode-decisions.ts";
import * as schema from "./decision-routes.schema.ts";

/** What waits for an answer on any thread, and the answers. */
export const decisionRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/decisions",
    scope: "read",
    operation: schema.list,
    async handle(exchange) {
      const query = new Query(exchange.context.req.url);
      const { thread_id: threadId, run_id: runId } = query.texts("thread_id", "run_id");
      const filter = { ...(threadId !== undefined && { threadId }), ...(runId !== undefined && { runId }) };
      const read = (offset: number, limit: number) => exchange.runtime.decisions.page({ ...filter, offset, limit });
      return answerPage(exchange, query.page(), read);
    },
  },
  {
    method: "POST",
    path: "/v1/decisions/:id",
    scope: "decide",
    operation: schema.decide,
    async handle(exchange) {
      const { verb, options } = decodeVerb(await exchange.body.json());
      const decision = await exchange.runtime.decisions.decide(pathPart(exchange, "id"), verb, {
        ...options,
        ...deciderOf(exchange.principal),
      });
      return answer(exchange, 202, decision);
    },
  },
];
