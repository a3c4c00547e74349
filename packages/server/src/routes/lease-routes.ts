import type { Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import * as schema from "./lease-routes.schema.ts";

/** Who works on what, in all processes of the store. */
export const leaseRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/leases",
    scope: "admin",
    operation: schema.list,
    handle: async (exchange) => answer(exchange, 200, { items: await exchange.runtime.leases() }),
  },
];
