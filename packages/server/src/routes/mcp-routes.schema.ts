import type { Operation } from "../openapi/operation.ts";
import { OBJECT, TEXT } from "../openapi/schema-words.ts";

const HEADERS = { "mcp-session-id": TEXT, "mcp-protocol-version": TEXT };
const STREAM = { description: "Messages of a call, the answer last", contentType: "text/event-stream" };

export const post: Operation = {
  summary: "A message of an MCP client",
  headers: { ...HEADERS, "mcp-method": TEXT, "mcp-name": TEXT },
  body: { schema: { ...OBJECT, description: "A JSON-RPC request, notification or response" } },
  answers: {
    200: { description: "The answer, or a stream that ends with it", schema: OBJECT },
    202: { description: "A notification or a response was taken" },
    400: { description: "A message that cannot be answered", schema: OBJECT },
    404: { description: "An unknown method, or a session that is over", schema: OBJECT },
  },
};

export const get: Operation = {
  summary: "The stream of a session of an MCP client of 2025, or of a call that it takes up again",
  headers: { ...HEADERS, "last-event-id": TEXT },
  answers: { 200: STREAM },
};

export const end: Operation = {
  summary: "Ends the session of an MCP client of 2025",
  headers: HEADERS,
  answers: { 204: { description: "The session is over" } },
};
