import { RPC_CODES, type RpcError, type RpcId, rpcError, rpcResult } from "@reprise/protocols/mcp";
import type { JsonObject } from "@reprise/state";
import type { McpReply } from "./mcp-caller.ts";

/** How this server introduces itself. */
export const SERVER_INFO = { name: "reprise", version: "0.1.0" } as const;

export function message(given: Extract<McpReply, { kind: "message" }>["message"]): McpReply {
  return { kind: "message", message: given };
}

/** A result of 2026-07-28. */
export function complete(id: RpcId, result: JsonObject): McpReply {
  const _meta = { "io.modelcontextprotocol/serverInfo": SERVER_INFO };
  return message(rpcResult(id, { resultType: "complete", ...result, _meta }));
}

export function invalid(id: RpcId, problem: string): McpReply {
  return refuse(id, { code: RPC_CODES.invalid_params, message: problem });
}

export function refuse(id: RpcId, error: RpcError, status?: number): McpReply {
  return { kind: "message", message: rpcError(id, error), ...(status !== undefined && { status }) };
}
