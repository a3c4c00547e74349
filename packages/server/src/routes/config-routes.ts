import type { ChangeOptions, LiveConfig } from "../config/live/live-config.ts";
import type { ConfigKind } from "../config/live/stored-entries.ts";
import { configSchema } from "../config/read-config.ts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { HttpRefusal } from "../http/http-refusal.ts";
import { assertOwnTenant, deciderOf } from "../security/principal.ts";
import { explainProblems } from "../wire/explain-problems.ts";
import { etagOf, readIfMatch } from "../wire/revision-headers.ts";
import * as schema from "./config-routes.schema.ts";

/** The configuration: as it is, as it may be written, and whether a draft would do. */
const wholeRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/config",
    scope: "admin",
    operation: schema.show,
    async handle(exchange) {
      const shown = await liveIn(exchange).show();
      return answer(exchange, 200, shown, { etag: etagOf(shown.revision) });
    },
  },
  {
    method: "GET",
    path: "/v1/config/schema",
    scope: "admin",
    operation: schema.describe,
    handle: (exchange) => {
      liveIn(exchange);
      return answer(exchange, 200, configSchema(), { "content-type": "application/schema+json" });
    },
  },
  {
    method: "POST",
    path: "/v1/config/validate",
    scope: "admin",
    operation: schema.validate,
    async handle(exchange) {
      const live = liveIn(exchange);
      const problems = live.validate(await exchange.body.json());
      return answer(exchange, 200, { valid: problems.length === 0, problems });
    },
  },
];

/** Its entries, which can be changed while the server runs. */
const entryRoutes = (kind: ConfigKind): readonly Route[] => [
  {
    method: "GET",
    path: `/v1/config/${kind}`,
    scope: "admin",
    operation: schema.list(kind),
    handle: async (exchange) => answer(exchange, 200, { items: await liveIn(exchange).list(kind) }),
  },
  {
    method: "GET",
    path: `/v1/config/${kind}/:id`,
    scope: "admin",
    operation: schema.get(kind),
    async handle(exchange) {
      const entry = await liveIn(exchange).get(kind, pathPart(exchange, "id"));
      return answer(exchange, 200, entry, { etag: etagOf(entry.revision) });
    },
  },
  {
    method: "GET",
    path: `/v1/config/${kind}/:id/history`,
    scope: "admin",
    operation: schema.history(kind),
    handle: async (exchange) =>
      answer(exchange, 200, { items: await liveIn(exchange).history(kind, pathPart(exchange, "id")) }),
  },
  {
    method: "PUT",
    path: `/v1/config/${kind}/:id`,
    scope: "admin",
    operation: schema.put(kind),
    handle: (exchange) =>
      explainProblems(exchange, async () => {
        const live = liveIn(exchange);
        const body = await exchange.body.json();
        const entry = await live.put(kind, pathPart(exchange, "id"), body, changeOf(exchange));
        return answer(exchange, 200, entry, { etag: etagOf(entry.revision) });
      }),
  },
  {
    method: "DELETE",
    path: `/v1/config/${kind}/:id`,
    scope: "admin",
    operation: schema.remove(kind),
    handle: (exchange) =>
      explainProblems(exchange, async () => {
        await liveIn(exchange).delete(kind, pathPart(exchange, "id"), changeOf(exchange));
        return new Response(null, { status: 204, headers: exchange.headers });
      }),
  },
];

export const configRoutes: readonly Route[] = [
  ...wholeRoutes,
  ...entryRoutes("agents"),
  ...entryRoutes("models"),
  ...entryRoutes("providers"),
];

function changeOf(exchange: HttpExchange): ChangeOptions {
  const { decidedBy: by } = deciderOf(exchange.principal);
  return { ...readIfMatch(exchange), ...(by !== undefined && { by }) };
}

/** What is configured is run for every tenant: who belongs to another than the server's own neither sees nor changes it. */
function liveIn({ host, principal }: HttpExchange): LiveConfig {
  const { config, runtime } = host;
  if (config === undefined) throw new HttpRefusal(404, "not found: configuration is not enabled");
  assertOwnTenant(principal, runtime.tenant, "the configuration belongs");
  return config;
}
