import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest, HttpRefusal } from "../http/http-refusal.ts";
import { type ApiKeys, createApiKeys, type NewApiKey } from "../security/api-keys.ts";
import type { Scope } from "../security/principal.ts";
import { listOf, readFields, textOf, wholeNumberOf } from "../wire/read-fields.ts";
import * as schema from "./key-routes.schema.ts";

const KEY_FIELDS = { name: ["name"], scopes: ["scopes"], expires_at: ["expiresAt", "expires_at"] } as const;

/** API keys of the caller's own tenant. */
export const keyRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/keys",
    scope: "admin",
    operation: schema.list,
    handle: async (exchange) =>
      answer(exchange, 200, { items: await keysOf(exchange).list(exchange.principal.tenant) }),
  },
  {
    method: "POST",
    path: "/v1/keys",
    scope: "admin",
    operation: schema.create,
    // An answer that is kept to be given again would be the key itself, in the store.
    knowsRepeats: true,
    async handle(exchange) {
      if (exchange.context.req.header("idempotency-key") !== undefined) {
        throw badRequest("Idempotency-Key is not taken here: a key is shown once");
      }
      const { key, info } = await keysOf(exchange).create(await readKey(exchange));
      return answer(exchange, 201, { key, ...info });
    },
  },
  {
    method: "DELETE",
    path: "/v1/keys/:id",
    scope: "admin",
    operation: schema.revoke,
    async handle(exchange) {
      const id = pathPart(exchange, "id");
      if (!(await keysOf(exchange).revoke(id, exchange.principal.tenant)))
        throw new HttpRefusal(404, `key not found: ${id}`);
      // Here at once; in other processes when they next look.
      await exchange.host.streams.recheck();
      return new Response(null, { status: 204, headers: exchange.headers });
    },
  },
];

function keysOf({ host }: HttpExchange): ApiKeys {
  return createApiKeys(host.runtime);
}

async function readKey({ body, principal }: HttpExchange): Promise<NewApiKey> {
  const fields = readFields(await body.json(), KEY_FIELDS);
  const name = textOf("name", fields.name);
  if (name === undefined) throw badRequest("name cannot be empty");
  const expiresAt = wholeNumberOf("expiresAt", fields.expires_at);
  return {
    name,
    // What is no scope is refused when the key is made.
    scopes: listOf("scopes", fields.scopes) as readonly Scope[],
    ...(expiresAt !== undefined && { expiresAt }),
    ...(principal.tenant !== undefined && { tenant: principal.tenant }),
  };
}
