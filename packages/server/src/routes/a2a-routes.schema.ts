import type { Operation } from "../openapi/operation.ts";
import { listOf, OBJECT, objectOf, TEXT } from "../openapi/schema-words.ts";

const CARD = { description: "An agent card", schema: OBJECT };
const TASK = { description: "The task", schema: OBJECT };
const UPDATES = { description: "Updates of the task", contentType: "text/event-stream" };
const PUSH = objectOf({ id: TEXT, taskId: TEXT, url: TEXT }, { token: TEXT, authentication: OBJECT });
const VERSION = { "a2a-version": { ...TEXT, description: "1.0; without it the flat shape is spoken" } };

export const gatewayCard: Operation = {
  summary: "The A2A card of the server",
  answers: { 200: CARD, 304: { description: "The card is the one the client has" } },
};

export const keys: Operation = {
  summary: "The keys that push notifications are signed with",
  answers: { 200: { description: "A JSON Web Key Set", schema: objectOf({ keys: listOf(OBJECT) }) } },
};

export const agents: Operation = {
  summary: "The agents that speak A2A, and where their cards are",
  answers: { 200: { description: "Agents", schema: objectOf({ agents: listOf(OBJECT) }) } },
};

export const agentCard: Operation = {
  summary: "The A2A card of an agent",
  answers: { 200: CARD, 304: { description: "The card is the one the client has" } },
};

export const rpc: Operation = {
  summary: "A call of A2A over JSON-RPC",
  headers: { "idempotency-key": TEXT, ...VERSION },
  body: { schema: objectOf({ jsonrpc: TEXT, method: TEXT }, { id: {}, params: OBJECT }) },
  answers: { 200: { description: "The response, or a stream of responses", schema: OBJECT } },
};

export const send: Operation = {
  summary: "Sends a message: `message:send`, or `message:stream` for a stream",
  headers: { "idempotency-key": TEXT, ...VERSION },
  body: {
    schema: objectOf(
      {},
      {
        message: OBJECT,
        configuration: OBJECT,
        input: TEXT,
        contextId: TEXT,
        taskId: TEXT,
        decisions: listOf(OBJECT),
      },
    ),
  },
  answers: {
    200: { description: "The task, or a stream of its updates", schema: OBJECT },
    202: {
      description: "Accepted, for the flat shape",
      schema: objectOf({ contextId: TEXT, taskId: TEXT, status: TEXT }),
    },
  },
};

export const list: Operation = {
  summary: "The tasks of an agent",
  query: {
    contextId: TEXT,
    status: TEXT,
    pageSize: { type: "integer" },
    pageToken: TEXT,
    historyLength: { type: "integer" },
    statusTimestampAfter: TEXT,
    includeArtifacts: { type: "boolean" },
  },
  answers: { 200: { description: "Tasks", schema: objectOf({ tasks: listOf(OBJECT) }) } },
};

export const get: Operation = {
  summary: "A task; with `:subscribe` behind its id, a stream of its updates",
  headers: VERSION,
  query: { historyLength: { type: "integer" } },
  answers: { 200: TASK },
};

export const changeTask: Operation = {
  summary: "With `:cancel` behind its id, cancels a task; with `:subscribe`, streams its updates",
  headers: VERSION,
  answers: {
    200: { ...UPDATES, description: "The cancelled task, or updates of the task" },
    202: { description: "The cancel is accepted, for the flat shape", schema: OBJECT },
  },
};

export const createPush: Operation = {
  summary: "Sends the updates of a task to an address",
  body: { schema: PUSH },
  answers: { 200: { description: "The configuration", schema: PUSH } },
};

export const listPush: Operation = {
  summary: "The addresses that get the updates of a task",
  answers: { 200: { description: "Configurations", schema: objectOf({ configs: listOf(PUSH) }) } },
};

export const getPush: Operation = {
  summary: "One address that gets the updates of a task",
  answers: { 200: { description: "The configuration", schema: PUSH } },
};

export const deletePush: Operation = {
  summary: "Sends no more updates to an address",
  answers: { 200: { description: "Deleted", schema: OBJECT } },
};
