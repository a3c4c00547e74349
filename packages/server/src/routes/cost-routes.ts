import type { Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import { sumSpend } from "../wire/sum-spend.ts";
import * as schema from "./cost-routes.schema.ts";

const DAY_MS = 86_400_000;
const MAX_BUCKETS = 200;

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
  {
    method: "GET",
    path: "/v1/spend",
    scope: "read",
    operation: schema.spend,
    async handle(exchange) {
      const { runtime, context } = exchange;
      const query = new Query(context.req.url);
      const { from, to = runtime.now(), buckets = 48 } = query.wholeNumbers("from", "to", "buckets");
      const begins = from ?? to - DAY_MS;
      if (begins >= to) throw badRequest("from must be before to");
      if (buckets < 1 || buckets > MAX_BUCKETS) throw badRequest(`buckets must be from 1 to ${MAX_BUCKETS}`);
      const spent = await sumSpend(runtime, { from: begins, to, buckets });
      return answer(exchange, 200, { tenant: runtime.tenant, ...spent });
    },
  },
];
