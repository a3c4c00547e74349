import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { listOf, OBJECT, objectOf, oneOf, TEXT } from "../openapi/schema-words.ts";

export const list: Operation = {
  summary: "The agents as they were resolved",
  answers: { 200: { description: "All agents", schema: objectOf({ items: listOf(ref("Agent")) }) } },
};

const PART = objectOf(
  {
    plugin: TEXT,
    kind: { ...TEXT, description: "`mcp_server`, `skill`, or what another plugin brings" },
    name: TEXT,
    state: oneOf("ready", "idle", "connecting", "warning", "failed", "needs_authorization"),
  },
  { message: TEXT, details: OBJECT },
);

export const parts: Operation = {
  summary:
    "What the plugins of an agent bring to it, such as MCP servers and skills, and how that is doing in this process",
  answers: { 200: { description: "All of them, without secrets", schema: objectOf({ items: listOf(PART) }) } },
};
