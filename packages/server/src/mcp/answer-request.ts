import {
  describeMcpTool,
  isObject,
  MODERN_VERSION,
  RPC_CODES,
  type RpcMessage,
  rpcResult,
  SESSION_VERSIONS,
  TASKS_EXTENSION,
} from "@reprise/protocols/mcp";
import type { JsonObject } from "@reprise/state";
import { cancelTask, getTask, getTaskResult, needingTasks, updateTask } from "./answer-tasks.ts";
import { callTool } from "./call-tool.ts";
import { listMcpTools, type McpCaller, type McpMethod, type McpReply, type McpRequest, textIn } from "./mcp-caller.ts";
import { complete, message, refuse, SERVER_INFO } from "./mcp-replies.ts";

/** Lists may be kept this long. The agents of a server change with its configuration. */
const LIST_TTL_MS = 5_000;

/** The methods of each era. `initialize` belongs to the transports, which keep the sessions. */
const METHODS: Readonly<Record<McpCaller["era"], Readonly<Record<string, McpMethod>>>> = {
  session: {
    ping: (_, { id }) => message(rpcResult(id, {})),
    "tools/list": listTools,
    "tools/call": callTool,
    "tasks/get": getTask,
    "tasks/result": getTaskResult,
    "tasks/cancel": cancelTask,
  },
  stateless: {
    "server/discover": discover,
    "tools/list": listTools,
    "tools/call": callTool,
    "tasks/get": needingTasks(getTask),
    "tasks/update": needingTasks(updateTask),
    "tasks/cancel": needingTasks(cancelTask),
    "subscriptions/listen": listen,
  },
};

/** Answers a request of either era. */
export async function answerRequest(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  const methods = METHODS[caller.era];
  const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (method !== undefined) return method(caller, request);
  const error = { code: RPC_CODES.method_not_found, message: `There is no method ${request.method.slice(0, 200)}.` };
  return refuse(request.id, error, caller.era === "stateless" ? 404 : undefined);
}

/** The capabilities that a session begins with. */
export function initialize(params: JsonObject): JsonObject {
  const asked = textIn(params, "protocolVersion");
  return {
    protocolVersion: SESSION_VERSIONS.find((version) => version === asked) ?? SESSION_VERSIONS[0],
    capabilities: { tools: { listChanged: true }, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    serverInfo: SERVER_INFO,
  };
}

function discover(_: McpCaller, { id }: McpRequest): McpReply {
  return complete(id, {
    supportedVersions: [MODERN_VERSION, ...SESSION_VERSIONS],
    capabilities: { tools: { listChanged: true }, extensions: { [TASKS_EXTENSION]: {} } },
    ttlMs: LIST_TTL_MS,
    cacheScope: "private",
  });
}

function listTools(caller: McpCaller, { id }: McpRequest): McpReply {
  const tools = listMcpTools(caller).map((tool) => describeMcpTool(tool, caller.era));
  if (caller.era === "session") return message(rpcResult(id, { tools }));
  return complete(id, { tools, ttlMs: LIST_TTL_MS, cacheScope: "private" });
}

/** Of all that a client may listen to, only the list of tools changes here. */
function listen(_: McpCaller, { id, params: { notifications } }: McpRequest): McpReply {
  const isWanted = isObject(notifications) && notifications.toolsListChanged === true;
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  const params = { notifications: isWanted ? { toolsListChanged: true } : {}, _meta };
  const acknowledged = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params } as const;
  return { kind: "subscription", id, acknowledged, ...(isWanted && { changed: toolListChanged({ _meta }) }) };
}

/** Says that the list of tools is no longer the one that the client has. */
export function toolListChanged(params: JsonObject = {}): RpcMessage {
  return { jsonrpc: "2.0", method: "notifications/tools/list_changed", params };
}
