import type { Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import * as schema from "./agent-routes.schema.ts";

/** The agents as they were resolved: their models, plugins and tools, and what is odd about them. */
export const agentRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/agents",
    scope: "read",
    operation: schema.list,
    handle: (exchange) => answer(exchange, 200, { items: exchange.runtime.agents() }),
  },
];
