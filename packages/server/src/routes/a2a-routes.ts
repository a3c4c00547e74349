import type { A2aMethod } from "@reprise/protocols/a2a";
import type { Json } from "@reprise/state";
import { answerAgentCard, answerGatewayCard, listAgents } from "../a2a/agent-cards.ts";
import { answerRest, answerRpc, versionOf } from "../a2a/answer-call.ts";
import { answerPlainCancel, answerPlainSend, answerPlainTask } from "../a2a/plain-send.ts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest, HttpRefusal } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import { assertScope } from "../security/principal.ts";
import * as schema from "./a2a-routes.schema.ts";

const AGENT = "/v1/a2a/agents/:agent_id";

/**
 * Agents as A2A peers, in two shapes on the same paths: that of the specification, by its REST and JSON-RPC bindings, and a flat one for
 * clients that name no version. A task is a run, and a context is a thread.
 */
export const a2aRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/.well-known/agent-card.json",
    scope: "public",
    operation: schema.gatewayCard,
    handle: answerGatewayCard,
  },
  {
    method: "GET",
    path: "/v1/a2a/jwks.json",
    scope: "public",
    operation: schema.keys,
    async handle(exchange) {
      const { push } = exchange.host;
      return answer(exchange, 200, push === undefined ? { keys: [] } : await push.publicKeys());
    },
  },
  {
    method: "GET",
    path: "/v1/a2a/agents",
    scope: "read",
    operation: schema.agents,
    handle: (exchange) => answer(exchange, 200, listAgents(exchange)),
  },
  {
    method: "GET",
    path: `${AGENT}/agent-card`,
    scope: "read",
    operation: schema.agentCard,
    handle: (exchange) => answerAgentCard(exchange, agentOf(exchange)),
  },
  {
    method: "GET",
    path: `${AGENT}/extendedAgentCard`,
    scope: "read",
    operation: schema.agentCard,
    handle: (exchange) => rest(exchange, "GetExtendedAgentCard", {}),
  },
  {
    method: "POST",
    path: `${AGENT}/rpc`,
    scope: ["read", "run", "decide"],
    operation: schema.rpc,
    knowsRepeats: true,
    opensStream: true,
    handle: (exchange) => answerRpc(exchange, agentOf(exchange)),
  },
  {
    method: "GET",
    path: `${AGENT}/tasks`,
    scope: "read",
    operation: schema.list,
    handle: (exchange) => rest(exchange, "ListTasks", readListQuery(exchange)),
  },
  {
    method: "GET",
    path: `${AGENT}/tasks/:task`,
    scope: "read",
    operation: schema.get,
    opensStream: true,
    handle: getTask,
  },
  {
    method: "POST",
    path: `${AGENT}/tasks/:task`,
    scope: ["run", "read"],
    operation: schema.changeTask,
    knowsRepeats: true,
    opensStream: true,
    handle: changeTask,
  },
  {
    method: "POST",
    path: `${AGENT}/tasks/:task/pushNotificationConfigs`,
    scope: "run",
    operation: schema.createPush,
    async handle(exchange) {
      const config = { ...(await exchange.body.json()), taskId: pathPart(exchange, "task") };
      return rest(exchange, "CreateTaskPushNotificationConfig", config);
    },
  },
  {
    method: "GET",
    path: `${AGENT}/tasks/:task/pushNotificationConfigs`,
    scope: "read",
    operation: schema.listPush,
    handle: (exchange) => rest(exchange, "ListTaskPushNotificationConfigs", { taskId: pathPart(exchange, "task") }),
  },
  {
    method: "GET",
    path: `${AGENT}/tasks/:task/pushNotificationConfigs/:config`,
    scope: "read",
    operation: schema.getPush,
    handle: (exchange) => rest(exchange, "GetTaskPushNotificationConfig", configOf(exchange)),
  },
  {
    method: "DELETE",
    path: `${AGENT}/tasks/:task/pushNotificationConfigs/:config`,
    scope: "run",
    operation: schema.deletePush,
    handle: (exchange) => rest(exchange, "DeleteTaskPushNotificationConfig", configOf(exchange)),
  },
  // Last, because its path is like those above.
  {
    method: "POST",
    path: `${AGENT}/:action`,
    scope: "run",
    operation: schema.send,
    knowsRepeats: true,
    opensStream: true,
    handle: send,
  },
];

function agentOf(exchange: HttpExchange): string {
  return pathPart(exchange, "agent_id");
}

function rest(exchange: HttpExchange, method: A2aMethod, params: unknown): Promise<Response> {
  return answerRest(exchange, method, agentOf(exchange), params);
}

/** `message:send` in either shape, and `message:stream`, which only the specification has. */
async function send(exchange: HttpExchange): Promise<Response> {
  const action = pathPart(exchange, "action");
  const body = await exchange.body.json();
  if (action === "message:stream") return rest(exchange, "SendStreamingMessage", body);
  if (action !== "message:send") throw badRequest("unsupported A2A action; expected 'message:send'");
  return namesVersion(exchange) || hasParts(body.message)
    ? rest(exchange, "SendMessage", body)
    : answerPlainSend(exchange, agentOf(exchange));
}

function hasParts(message: Json | undefined): boolean {
  const isObject = typeof message === "object" && message !== null && !Array.isArray(message);
  return isObject && Array.isArray((message as { readonly [key: string]: Json }).parts);
}

/** Whether a client speaks the specification. Whether this server speaks its version is seen later. */
function namesVersion(exchange: HttpExchange): boolean {
  return (versionOf(exchange) ?? "") !== "";
}

async function getTask(exchange: HttpExchange): Promise<Response> {
  const { id, verb } = readTask(exchange);
  const query = new Query(exchange.context.req.url);
  if (verb === "subscribe") return rest(exchange, "SubscribeToTask", { id });
  if (verb !== undefined) throw new HttpRefusal(405, `method not allowed: ${verb} needs POST`, { allow: "POST" });
  if (!namesVersion(exchange)) return answerPlainTask(exchange, agentOf(exchange), id);
  const historyLength = query.wholeNumber("historyLength");
  return rest(exchange, "GetTask", { id, ...(historyLength !== undefined && { historyLength }) });
}

async function changeTask(exchange: HttpExchange): Promise<Response> {
  const { id, verb } = readTask(exchange);
  if (verb === "subscribe") return rest(exchange, "SubscribeToTask", { id });
  if (verb !== "cancel") throw badRequest("the path of a cancel must end with ':cancel'");
  if (namesVersion(exchange)) return rest(exchange, "CancelTask", { id });
  assertScope(exchange.principal, "run");
  return answerPlainCancel(exchange, agentOf(exchange), id);
}

/** The last part of a task's path: its id, and what is wanted of it. */
function readTask(exchange: HttpExchange): { readonly id: string; readonly verb?: "cancel" | "subscribe" } {
  const part = pathPart(exchange, "task");
  const [, id = part, verb] = /^(.*):(cancel|subscribe)$/s.exec(part) ?? [];
  // The pattern has these two words.
  return { id, ...(verb !== undefined && { verb: verb as "cancel" | "subscribe" }) };
}

function configOf(exchange: HttpExchange): object {
  return { taskId: pathPart(exchange, "task"), id: pathPart(exchange, "config") };
}

function readListQuery(exchange: HttpExchange): object {
  const query = new Query(exchange.context.req.url);
  const includeArtifacts = query.oneOf("includeArtifacts", ["true", "false"]);
  return {
    ...query.texts("contextId", "status", "pageToken", "statusTimestampAfter"),
    ...query.wholeNumbers("pageSize", "historyLength"),
    ...(includeArtifacts !== undefined && { includeArtifacts: includeArtifacts === "true" }),
  };
}
