import type { Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import * as schema from "./cost-routes.schema.ts";

/** What was spent. */
export const costRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/costs",
    scope: "read",
    operation: schema.costs,
    async handle(exchange) {
      const { costs } = exchange.runtime;
      const query = new Query(exchange.context.req.url);
      const { run_id, thread_id, tree_id } = query.texts("run_id", "thread_id", "tree_id");
      const asked = [run_id, thread_id, tree_id].filter((id) => id !== undefined);
      if (asked.length !== 1) throw badRequest("give one of run_id, thread_id, tree_id");
      if (run_id !== undefined) return answer(exchange, 200, await costs.ofRun(run_id));
      if (thread_id !== undefined) return answer(exchange, 200, await costs.ofThread(thread_id));
      return answer(exchange, 200, await costs.ofTree(tree_id ?? ""));
    },
  },
];
