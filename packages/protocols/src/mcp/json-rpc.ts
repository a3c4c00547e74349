import type { Json, JsonObject } from "@reprise/state";

/** The id of a request. */
export type RpcId = string | number;

/** An error as JSON-RPC has it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** A message to a client: the answer to a request, a request of our own, or a notification. */
export type RpcMessage =
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly result: JsonObject }
  | { readonly jsonrpc: "2.0"; readonly id: RpcId | null; readonly error: RpcError }
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly jsonrpc: "2.0"; readonly method: string; readonly params: JsonObject };

export const RPC_CODES = {
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal: -32603,
  header_mismatch: -32020,
  missing_capability: -32021,
  unsupported_version: -32022,
} as const;

export function rpcResult(id: RpcId, result: JsonObject): RpcMessage {
  return { jsonrpc: "2.0", id, result };
}

export function rpcError(id: RpcId | null, error: RpcError): RpcMessage {
  return { jsonrpc: "2.0", id, error };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
