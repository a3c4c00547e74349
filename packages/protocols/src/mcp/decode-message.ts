import type { Json, JsonObject } from "@reprise/state";
import { decodeHeader } from "./header-value.ts";
import { isObject, RPC_CODES, type RpcError, type RpcId } from "./json-rpc.ts";

/** The revision without sessions. */
export const MODERN_VERSION = "2026-07-28";
/** The revisions with sessions, newest first. */
export const SESSION_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
/** The extension that makes tasks of long calls in the revision without sessions. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** `session`: revisions of 2025, which begin with `initialize`. `stateless`: 2026-07-28, where every request says everything. */
export type McpEra = "session" | "stateless";

/** The abilities of a client that matter here. */
export interface McpAbilities {
  /** A person can be asked. */
  readonly elicits: boolean;
  /** It can follow tasks (2026-07-28). */
  readonly hasTasks: boolean;
}

/** A message of a client, understood. */
export type McpMessage =
  | {
      readonly kind: "request";
      readonly era: McpEra;
      readonly id: RpcId;
      readonly method: string;
      readonly params: JsonObject;
      /** Of a request of 2026-07-28. A session knows the abilities of its client. */
      readonly abilities?: McpAbilities;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "response"; readonly id: RpcId; readonly result?: JsonObject }
  | { readonly kind: "refused"; readonly id: RpcId | null; readonly status: number; readonly error: RpcError };

/** The headers of a request. Over stdio there are none, and none are missed. */
export type McpHeaders = Pick<Headers, "get">;

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";

/** Reads a message of either era. Pure; nothing of what it is sent makes it throw. */
export function decodeMcpMessage(body: Json, headers?: McpHeaders): McpMessage {
  if (!isObject(body)) return refused(null, "A message must be one JSON-RPC object.", RPC_CODES.invalid_request);
  const { jsonrpc, id, method, params = {} } = body;
  const hasId = typeof id === "string" || typeof id === "number";
  if (jsonrpc !== "2.0" || !isObject(params))
    return refused(
      hasId ? id : null,
      'A message must have jsonrpc "2.0" and object params.',
      RPC_CODES.invalid_request,
    );
  if (typeof method !== "string") {
    if (!hasId) return refused(null, "A message must have a method or answer a request.", RPC_CODES.invalid_request);
    return { kind: "response", id, ...(isObject(body.result) && { result: body.result }) };
  }
  if (!hasId && id === undefined) return { kind: "notification", method, params };
  if (!hasId) return refused(null, "The id of a request must be a string or a number.", RPC_CODES.invalid_request);
  if (!isStateless(method, params, headers)) return { kind: "request", era: "session", id, method, params };
  return decodeStateless(id, method, params, headers);
}

/** Whether a request belongs to the revision without sessions: by its metadata, or by the header of its transport. */
function isStateless(method: string, { _meta: meta }: JsonObject, headers: McpHeaders | undefined): boolean {
  if (method === "server/discover" || (isObject(meta) && meta[VERSION_KEY] !== undefined)) return true;
  const told = headers?.get("mcp-protocol-version")?.trim();
  const isKnown = told === undefined || SESSION_VERSIONS.some((version) => version === told);
  return !isKnown && headers?.get("mcp-session-id") === null;
}

function decodeStateless(id: RpcId, method: string, params: JsonObject, headers: McpHeaders | undefined): McpMessage {
  const meta = isObject(params._meta) ? params._meta : {};
  const { [VERSION_KEY]: version, [CAPABILITIES_KEY]: capabilities } = meta;
  if (typeof version !== "string" || !isObject(capabilities)) {
    const message = `params._meta must have ${VERSION_KEY} and ${CAPABILITIES_KEY}.`;
    return refused(id, message, RPC_CODES.invalid_params);
  }
  const mismatch = headers === undefined ? undefined : findMismatch(headers, { version, method, params });
  if (mismatch !== undefined) return refused(id, mismatch, RPC_CODES.header_mismatch);
  if (version !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION, ...SESSION_VERSIONS], requested: version };
    return refused(id, `The protocol version ${version} is not supported.`, RPC_CODES.unsupported_version, data);
  }
  return { kind: "request", era: "stateless", id, method, params, abilities: readAbilities(capabilities) };
}

/** The abilities in the capabilities of a client. A client of 2025 that says only `elicitation: {}` shows forms. */
export function readAbilities(capabilities: Json | undefined): McpAbilities {
  const { elicitation, extensions } = isObject(capabilities) ? capabilities : {};
  const hasForms = isObject(elicitation) && (Object.keys(elicitation).length === 0 || elicitation.form !== undefined);
  return { elicits: hasForms, hasTasks: isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined };
}

/** The field of the params that the header `Mcp-Name` repeats, by method. */
const NAMES: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

interface Repeated {
  readonly version: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** Headers repeat what the body says, for proxies. One that says something else is refused. */
function findMismatch(headers: McpHeaders, { version, method, params }: Repeated): string | undefined {
  const field = Object.hasOwn(NAMES, method) ? NAMES[method] : undefined;
  const wanted: readonly (readonly [string, Json | undefined])[] = [
    ["mcp-protocol-version", version],
    ["mcp-method", method],
    ...(field === undefined ? [] : ([["mcp-name", params[field]]] as const)),
  ];
  const wrong = wanted.find(([header, value]) => decodeHeader(headers.get(header)) !== value);
  return wrong === undefined ? undefined : `The header ${wrong[0]} must be there and repeat the body.`;
}

function refused(id: RpcId | null, message: string, code: number, data?: Json): McpMessage {
  return { kind: "refused", id, status: 400, error: { code, message, ...(data !== undefined && { data }) } };
}
