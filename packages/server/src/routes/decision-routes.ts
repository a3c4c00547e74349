import { pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { answerPage } from "../http/answer-list.ts";
import { Query } from "../http/query.ts";
import { decodeVerb } from "../wire/decode-decisions.ts";
import * as schema from "./decision-routes.schema.ts";

/** What waits for an answer on any thread, and the answers. */
export const decisionRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/decisions",
    scope: "read",
    operation: schema.list,
    async handle(call) {
      const query = new Query(call.context.req.url);
      const { thread_id: threadId, run_id: runId } = query.texts("thread_id", "run_id");
      const filter = { ...(threadId !== undefined && { threadId }), ...(runId !== undefined && { runId }) };
      const read = (offset: number, limit: number) => call.runtime.decisions.page({ ...filter, offset, limit });
      return answerPage(call, query.page(), read);
    },
  },
  {
    method: "POST",
    path: "/v1/decisions/:id",
    scope: "decide",
    operation: schema.decide,
    async handle(call) {
      const { verb, options } = decodeVerb(await call.body.json());
      const decision = await call.runtime.decisions.decide(pathPart(call, "id"), verb, options);
      return answer(call, 202, decision);
    },
  },
];
