import type { Operation } from "../openapi/operation.ts";
import { anyOf, listOf, objectOf, oneOf, TEXT } from "../openapi/schema-words.ts";
import { INPUTS_BODY } from "../wire/run-body.ts";

const WARNINGS = { warnings: { ...listOf(TEXT), description: "What was odd about the request, and ignored" } };

export const inputs: Operation = {
  summary: "Decisions for a run, or messages that go on after it",
  body: { schema: INPUTS_BODY.schema },
  answers: {
    202: {
      description: "Taken, durably",
      schema: anyOf(
        objectOf({ status: oneOf("decision_forwarded"), run_id: TEXT, thread_id: TEXT }, WARNINGS),
        objectOf({ status: oneOf("continuation_started"), parent_run_id: TEXT, thread_id: TEXT }, WARNINGS),
      ),
    },
  },
};
