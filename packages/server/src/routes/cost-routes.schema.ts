import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { TEXT } from "../openapi/schema-words.ts";

export const costs: Operation = {
  summary: "What a run, a thread, or a run with all below it took; give one of the three",
  query: { run_id: TEXT, thread_id: TEXT, tree_id: { ...TEXT, description: "The run at the top" } },
  answers: { 200: { description: "Money and tokens", schema: ref("Spending") } },
};
