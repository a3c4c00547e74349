import { type Call, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest, HttpRefusal } from "../http/http-refusal.ts";
import { type ApiKeys, createApiKeys, type NewApiKey } from "../security/api-keys.ts";
import type { Scope } from "../security/principal.ts";
import { listOf, readFields, textOf, wholeNumberOf } from "../wire/read-fields.ts";
import * as schema from "./key-routes.schema.ts";

const KEY_FIELDS = { name: ["name"], scopes: ["scopes"], expires_at: ["expiresAt", "expires_at"] } as const;

/** API keys of the tenant whoever asks belongs to; of no other. */
export const keyRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/keys",
    scope: "admin",
    operation: schema.list,
    handle: async (call) => answer(call, 200, { items: await keysOf(call).list(call.principal.tenant) }),
  },
  {
    method: "POST",
    path: "/v1/keys",
    scope: "admin",
    operation: schema.create,
    // An answer that is kept to be given again would be the key itself, in the store.
    knowsRepeats: true,
    async handle(call) {
      if (call.context.req.header("idempotency-key") !== undefined) {
        throw badRequest("Idempotency-Key is not taken here: a key is shown once");
      }
      const { key, info } = await keysOf(call).create(await readKey(call));
      return answer(call, 201, { key, ...info });
    },
  },
  {
    method: "DELETE",
    path: "/v1/keys/:id",
    scope: "admin",
    operation: schema.revoke,
    async handle(call) {
      const id = pathPart(call, "id");
      if (!(await keysOf(call).revoke(id, call.principal.tenant))) throw new HttpRefusal(404, `key not found: ${id}`);
      // Here at once; in other processes when they next look.
      await call.host.streams.recheck();
      return new Response(null, { status: 204, headers: call.headers });
    },
  },
];

function keysOf({ host }: Call): ApiKeys {
  return createApiKeys(host.runtime);
}

async function readKey({ body, principal }: Call): Promise<NewApiKey> {
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
