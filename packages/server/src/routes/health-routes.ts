import { ERRORS, RepriseError } from "@reprise/contracts";
import type { Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { assertOwnTenant } from "../security/principal.ts";
import { MAX_LISTED_AGENTS } from "../wire/missing-agents.ts";
import * as schema from "./health-routes.schema.ts";

/** Why a store cannot be worked with, as far as an operator can do something about it. */
const TOLD = ["STORE_REPLACED", "STORAGE_FULL"] as const;

/** Whether the process lives, whether it can work, and what it counted. */
export const healthRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/health",
    scope: "public",
    operation: schema.health,
    handle: (exchange) => answer(exchange, 200, { status: "ok", durability: exchange.host.runtime.durability }),
  },
  {
    method: "GET",
    path: "/ready",
    scope: "public",
    operation: schema.ready,
    async handle(exchange) {
      const { retirement, streams } = exchange.host;
      if (retirement.signal.aborted || streams.isClosed)
        return answer(exchange, 503, { error: "not ready: the server is closing" });
      if (exchange.host.runtime.isReplaced)
        return answer(exchange, 503, { error: "not ready: another process works under this instance id" });
      let missing: readonly string[];
      try {
        await exchange.host.runtime.runs({ limit: 1 });
        await exchange.host.probe.check();
        missing = await exchange.host.runtime.missingAgents();
      } catch (error) {
        exchange.host.report(error);
        const code = TOLD.find((known) => RepriseError.is(error, known));
        const reason = code === undefined ? "the store does not answer" : ERRORS[code].when;
        return answer(exchange, 503, { error: `not ready: ${reason}` }, { "retry-after": "1" });
      }
      return answer(exchange, 200, { status: "ready", agents_missing: missing.slice(0, MAX_LISTED_AGENTS) });
    },
  },
  {
    method: "GET",
    path: "/metrics",
    scope: "admin",
    operation: schema.metrics,
    async handle({ host, headers, principal }) {
      assertOwnTenant(principal, host.runtime.tenant, "metrics of all tenants belong");
      const { runtime, metrics, streams } = host;
      const [missing, mailboxDepth] = await Promise.all([runtime.missingAgents(), runtime.mailboxDepth()]);
      const text = metrics.print({ openStreams: streams.count, agentsMissing: missing.length, mailboxDepth });
      return new Response(text, { headers: { ...headers, "content-type": "text/plain; version=0.0.4" } });
    },
  },
];
