import type { Operation } from "../openapi/operation.ts";
import { FLAG, listOf, OBJECT, objectOf, oneOf, TEXT } from "../openapi/schema-words.ts";

const EVENTS = { description: "AG-UI events", contentType: "text/event-stream" };
const MESSAGE = objectOf(
  { id: TEXT, role: oneOf("user", "assistant", "tool", "reasoning") },
  { toolCalls: listOf(OBJECT), toolCallId: TEXT },
);

export const run: Operation = {
  summary: "Runs an agent for an AG-UI client, or answers the questions of its run",
  headers: { "idempotency-key": TEXT },
  body: {
    schema: objectOf(
      { threadId: TEXT, runId: { ...TEXT, description: "The client's own id; sent again, it is the same run" } },
      {
        protocolVersion: { ...TEXT, description: "1.0; absent for clients before it" },
        messages: listOf(OBJECT),
        tools: listOf(OBJECT),
        context: listOf(OBJECT),
        state: { ...OBJECT, description: "Becomes the application's state of the thread, unless it is empty" },
        resume: listOf(OBJECT),
        parentRunId: TEXT,
        parentThreadId: TEXT,
        forwardedProps: { ...OBJECT, description: "May hold model, systemPrompt, config and parentThreadId too" },
        model: { ...TEXT, description: "Needs an agent with client_overrides, as do systemPrompt and config" },
        systemPrompt: TEXT,
        config: OBJECT,
      },
    ),
  },
  answers: {
    200: EVENTS,
    202: {
      description: "Decisions were passed on to the run with this runId",
      schema: objectOf({ status: oneOf("decision_forwarded"), threadId: TEXT, runId: TEXT }),
    },
  },
};

export const capabilities: Operation = {
  summary: "What an agent can do, as AgentCapabilities",
  answers: { 200: { description: "Capabilities", schema: OBJECT } },
};

export const connect: Operation = {
  summary: "A thread for a client that was not there: messages, state, and the run under way or its questions",
  query: { protocolVersion: TEXT, runId: { ...TEXT, description: "The id the client wants to know the run by" } },
  answers: { 200: EVENTS },
};

export const history: Operation = {
  summary: "The messages a client begins with",
  query: { limit: { type: "integer", description: "The newest so many" }, before: TEXT },
  answers: { 200: { description: "Messages", schema: objectOf({ messages: listOf(MESSAGE), has_more: FLAG }) } },
};
