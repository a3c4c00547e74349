import type { Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { assertOwnTenant } from "../security/principal.ts";
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
  {
    method: "GET",
    path: "/v1/workers",
    scope: "admin",
    operation: schema.workers,
    async handle(exchange) {
      const { runtime, host, principal } = exchange;
      assertOwnTenant(principal, host.runtime.tenant, "the processes of all tenants belong");
      const now = runtime.now();
      const items = (await runtime.workers()).map(({ owner, until, abilities }) => ({
        owner,
        until,
        is_expired: until <= now,
        agents: Object.keys(abilities).sort(),
      }));
      return answer(exchange, 200, { items });
    },
  },
];
