import type { Operation } from "../openapi/operation.ts";
import { FLAG, listOf, OBJECT, objectOf, oneOf, TEXT } from "../openapi/schema-words.ts";

const UI_MESSAGE = objectOf({ id: TEXT, role: oneOf("user", "assistant"), parts: listOf(OBJECT) });
const CHUNKS = { description: "Chunks of the UI message stream", contentType: "text/event-stream" };

export const run: Operation = {
  summary: "Says something, decides, or asks for another answer",
  headers: { "idempotency-key": TEXT },
  body: {
    schema: objectOf(
      { id: { ...TEXT, description: "The thread" } },
      {
        messages: listOf(OBJECT),
        trigger: oneOf("submit-message", "regenerate-message"),
        messageId: TEXT,
        runId: TEXT,
        parentThreadId: TEXT,
        model: { ...TEXT, description: "Needs an agent with client_overrides, as do systemPrompt and config" },
        systemPrompt: TEXT,
        config: OBJECT,
      },
    ),
  },
  answers: {
    200: CHUNKS,
    202: {
      description: "Decisions were passed on",
      schema: objectOf({ status: oneOf("decision_forwarded"), threadId: TEXT }),
    },
  },
};

export const resume: Operation = {
  summary: "The message under way, from its start",
  answers: { 200: CHUNKS, 204: { description: "Nothing is under way" } },
};

export const history: Operation = {
  summary: "The messages a page begins with",
  query: { limit: { type: "integer", description: "The newest so many" }, before: TEXT },
  answers: { 200: { description: "Messages", schema: objectOf({ messages: listOf(UI_MESSAGE), has_more: FLAG }) } },
};
