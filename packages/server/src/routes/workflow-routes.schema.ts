import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { listOf, objectOf, TEXT } from "../openapi/schema-words.ts";
import { WORKFLOW_RUN_BODY } from "../workflow/workflow-run-body.ts";

export const list: Operation = {
  summary: "The workflows of the runtime",
  answers: { 200: { description: "All of them", schema: objectOf({ items: listOf(ref("Workflow")) }) } },
};

export const get: Operation = {
  summary: "A workflow: its document, and its graph in the order of its run plan",
  answers: {
    200: { description: "The workflow", schema: ref("Workflow") },
  },
};

export const start: Operation = {
  summary: "Starts a run of a workflow",
  body: { schema: WORKFLOW_RUN_BODY.schema, isOptional: true },
  answers: {
    202: {
      description: "Accepted, durably",
      schema: objectOf({ run_id: TEXT, thread_id: TEXT, workflow_id: TEXT }, { warnings: listOf(TEXT) }),
    },
  },
};
