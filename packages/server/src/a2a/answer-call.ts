import {
  A2A_ERRORS,
  A2A_VERSION,
  A2aError,
  type A2aFailure,
  type A2aMethod,
  callIdOf,
  decodeCall,
  encodeRestError,
  encodeRpcError,
  encodeRpcResult,
} from "@reprise/protocols/a2a";
import type { HttpExchange } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { describeError } from "../http/describe-error.ts";
import { HttpRefusal } from "../http/http-refusal.ts";
import { performOperation } from "./operations.ts";

/** The version of the protocol that a client names, in a header or in the query. */
export function versionOf({ context }: HttpExchange): string | undefined {
  return context.req.header("a2a-version") ?? new URL(context.req.url).searchParams.get("A2A-Version") ?? undefined;
}

function assertVersion(exchange: HttpExchange): void {
  const version = versionOf(exchange);
  if (version === undefined || version === "" || /^1(\.\d+){0,2}$/.test(version)) return;
  const named = JSON.stringify(version.slice(0, 20));
  throw new A2aError(
    "VERSION_NOT_SUPPORTED",
    `A2A version ${named} is not supported; this server speaks ${A2A_VERSION}.`,
  );
}

/** Performs an operation for a client of the REST binding. */
export async function answerRest(
  exchange: HttpExchange,
  method: A2aMethod,
  agentId: string,
  params: unknown,
): Promise<Response> {
  const contentType = { "content-type": mediaTypeFor(exchange) };
  try {
    assertVersion(exchange);
    const result = await performOperation(method, { exchange, agentId, params, wrap: (item) => item });
    return "stream" in result ? result.stream : answer(exchange, 200, result.value, contentType);
  } catch (error) {
    const { failure, message, headers } = describeFailure(exchange, error);
    return answer(exchange, failure.httpStatus, encodeRestError(failure, message), { ...contentType, ...headers });
  }
}

/** Performs a call of JSON-RPC. Its errors are answers like any other, unless the server itself is in trouble. */
export async function answerRpc(exchange: HttpExchange, agentId: string): Promise<Response> {
  // A body that is too long, packed or of another type is refused as on every route.
  await exchange.body.text();
  let body: unknown;
  try {
    assertVersion(exchange);
    body = await readJson(exchange);
    const { id, method, params } = decodeCall(body);
    const wrap = (result: unknown): unknown => encodeRpcResult(id, result);
    const result = await performOperation(method, { exchange, agentId, params, wrap });
    return "stream" in result ? result.stream : answer(exchange, 200, wrap(result.value));
  } catch (error) {
    const { failure, message, headers } = describeFailure(exchange, error);
    const isRefused = failure.httpStatus === 401 || failure.httpStatus === 403 || failure.httpStatus === 503;
    const status = isRefused ? failure.httpStatus : 200;
    return answer(exchange, status, encodeRpcError(callIdOf(body), failure, message), headers);
  }
}

async function readJson({ body }: HttpExchange): Promise<unknown> {
  try {
    return await body.json();
  } catch (error) {
    throw error instanceof HttpRefusal ? new A2aError("PARSE", error.message) : error;
  }
}

/** The media type of the protocol for clients that ask for it, and plain JSON for all others. */
function mediaTypeFor({ context }: HttpExchange): string {
  const isAsked = context.req.header("accept")?.includes("application/a2a+json") === true;
  return isAsked ? "application/a2a+json" : "application/json";
}

/** Statuses of google.rpc for the errors of the server. */
const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  410: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function describeFailure(
  { host }: HttpExchange,
  error: unknown,
): { readonly failure: A2aFailure; readonly message: string; readonly headers: Readonly<Record<string, string>> } {
  if (error instanceof A2aError) return { failure: error.failure, message: error.message, headers: {} };
  const { status: httpStatus, message, headers, isOurs } = describeError(error);
  if (isOurs) host.report(error);
  const { code } = httpStatus >= 500 ? A2A_ERRORS.INTERNAL : A2A_ERRORS.INVALID_PARAMS;
  return { failure: { code, httpStatus, status: STATUSES[httpStatus] ?? "INTERNAL" }, message, headers };
}
