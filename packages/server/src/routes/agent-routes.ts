import { pathPart, type Route } from "../host/route.ts";
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
  {
    method: "GET",
    path: "/v1/agents/:id/parts",
    scope: "admin",
    operation: schema.parts,
    async handle(exchange) {
      const items = await exchange.runtime.agentParts(pathPart(exchange, "id"));
      return answer(exchange, 200, { items });
    },
  },
];
