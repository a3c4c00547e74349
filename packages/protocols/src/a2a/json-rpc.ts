import { isPlainObject } from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import { A2aError } from "./a2a-error.ts";

export const A2A_METHODS = [
  "SendMessage",
  "SendStreamingMessage",
  "GetTask",
  "ListTasks",
  "CancelTask",
  "SubscribeToTask",
  "CreateTaskPushNotificationConfig",
  "GetTaskPushNotificationConfig",
  "ListTaskPushNotificationConfigs",
  "DeleteTaskPushNotificationConfig",
  "GetExtendedAgentCard",
] as const;

export type A2aMethod = (typeof A2A_METHODS)[number];

/** A call of JSON-RPC. */
export interface A2aCall {
  readonly id: Json;
  readonly method: A2aMethod;
  readonly params: { readonly [key: string]: Json };
}

/** The id that the response to a call carries, also when the call is no good: `null` when there is none. */
export function callIdOf(body: unknown): Json {
  const id = isPlainObject(body) ? body.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

export function decodeCall(body: unknown): A2aCall {
  if (!isPlainObject(body) || body.jsonrpc !== "2.0" || typeof body.method !== "string") {
    throw new A2aError("INVALID_REQUEST", 'The body must be a call of JSON-RPC 2.0 with "jsonrpc", "id" and "method".');
  }
  const method = A2A_METHODS.find((name) => name === body.method);
  if (method === undefined) {
    throw new A2aError("METHOD_NOT_FOUND", `There is no method ${JSON.stringify(body.method.slice(0, 80))}.`);
  }
  const { params = {} } = body;
  if (!isPlainObject(params)) throw new A2aError("INVALID_PARAMS", "params must be an object.");
  // Parsed from JSON.
  return { id: callIdOf(body), method, params: params as A2aCall["params"] };
}

export function encodeRpcResult(id: Json, result: unknown): unknown {
  return { jsonrpc: "2.0", id, result };
}
