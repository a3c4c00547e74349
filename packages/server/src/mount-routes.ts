import { Hono } from "hono";
import type { HttpExchange, Route, ServerEnv } from "./host/route.ts";
import type { ServerHost } from "./host/server-host.ts";
import { answer } from "./http/answer.ts";
import { describeError } from "./http/describe-error.ts";
import { HttpRefusal } from "./http/http-refusal.ts";
import { RequestBody } from "./http/request-body.ts";
import { answerOnce } from "./idempotency/answer-once.ts";
import { checkHost } from "./security/check-host.ts";
import { checkOrigin } from "./security/check-origin.ts";
import { assertScope, hasScope, LOCAL_PRINCIPAL, type Principal, SIGNED_PRINCIPAL } from "./security/principal.ts";
import { preflightHeaders, responseHeaders } from "./security/response-headers.ts";
import type { Credential } from "./sse/stream-slots.ts";

/** Puts routes into an app of their own, each behind the same door. The app can be mounted in any other. */
export function mountRoutes(host: ServerHost, routes: readonly Route[]): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  for (const route of routes) {
    app.on(route.method, route.path, (context) => enter(host, route, context));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
    app.on("OPTIONS", path, (context) => answerPreflight(host, context, methods.join(", ")));
  }
  return app;
}

/** The entrance. The principal is known before anything but the headers is read. */
async function enter(host: ServerHost, route: Route, context: HttpExchange["context"]): Promise<Response> {
  const request = context.req.raw;
  const response = await guarded(host, context, async (headers) => {
    const principal = await identify(host, route, request);
    const { tenant } = principal;
    const runtime = tenant === undefined ? host.runtime : host.runtime.forTenant(tenant);
    const body = new RequestBody(request, host.maxBodyBytes);
    const slot = route.opensStream ? host.streams.reserve(principal, credentialOf(host, route, request)) : undefined;
    const exchange: HttpExchange = {
      context,
      host,
      principal,
      runtime,
      body,
      headers,
      ...(slot !== undefined && { slot }),
    };
    const isStored = route.method === "POST" && route.knowsRepeats !== true;
    try {
      return await (isStored ? answerOnce(exchange, route) : route.handle(exchange));
    } finally {
      if (slot?.isTaken === false) slot.leave();
    }
  });
  host.metrics.countAnswer(request.method, route.path, response.status);
  return response;
}

/** Answers a request for an unknown path; also that only after authentication. */
export function answerUnknown(host: ServerHost, context: HttpExchange["context"]): Promise<Response> {
  return guarded(host, context, () => {
    throw new HttpRefusal(404, `not found: ${context.req.method} ${context.req.path.slice(0, 200)}`);
  });
}

function answerPreflight(host: ServerHost, context: HttpExchange["context"], methods: string): Promise<Response> {
  return guarded(host, context, () => {
    const origin = checkOrigin(context.req.raw, host.allowedOrigins);
    return new Response(null, { status: 204, headers: preflightHeaders(origin, methods) });
  });
}

/** Checks where a request comes from, and says every error in the same shape. */
async function guarded(
  host: ServerHost,
  { req: { raw: request }, env }: HttpExchange["context"],
  handle: (headers: Readonly<Record<string, string>>) => Response | Promise<Response>,
): Promise<Response> {
  let headers = responseHeaders(undefined);
  try {
    checkHost(request, host.allowedHosts, env?.incoming?.url);
    headers = responseHeaders(checkOrigin(request, host.allowedOrigins));
    // Only Node gives something to bind to; elsewhere there is no such object at all.
    host.access.admitAddress(env?.incoming?.socket.remoteAddress, request.headers);
    return await handle(headers);
  } catch (error) {
    const { status, message, decision, isOurs, headers: own } = describeError(error);
    if (isOurs) host.report(error);
    return answer({ headers }, status, { error: message, ...(decision !== undefined && { decision }) }, own);
  }
}

/** The credential a stream was opened with, to be looked at again while it is open. */
function credentialOf(host: ServerHost, route: Route, { headers }: Request): Credential | undefined {
  const { authenticate } = host;
  if (authenticate === undefined || route.scope === "public" || route.scope === "signed") return undefined;
  const wanted = [route.scope].flat();
  return {
    key: JSON.stringify([headers.get("authorization"), headers.get("x-api-key"), wanted]),
    async isGood() {
      const principal = await authenticate(headers);
      return principal !== undefined && wanted.some((scope) => hasScope(principal, scope));
    },
  };
}

async function identify(host: ServerHost, route: Route, request: Request): Promise<Principal> {
  if (route.scope === "signed") return SIGNED_PRINCIPAL;
  if (host.authenticate === undefined || route.scope === "public") return LOCAL_PRINCIPAL;
  const principal = await host.authenticate(request.headers);
  if (principal === undefined) {
    throw new HttpRefusal(401, "unauthorized: a valid credential is required", { "www-authenticate": "Bearer" });
  }
  host.access.admitPrincipal(principal);
  assertScope(principal, ...[route.scope].flat());
  return principal;
}
