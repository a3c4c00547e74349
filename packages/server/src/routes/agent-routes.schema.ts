import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { listOf, objectOf } from "../openapi/schema-words.ts";

export const list: Operation = {
  summary: "The agents as they were resolved",
  answers: { 200: { description: "All agents", schema: objectOf({ items: listOf(ref("Agent")) }) } },
};
