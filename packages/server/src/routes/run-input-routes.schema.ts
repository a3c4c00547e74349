import type { Operation } from "../openapi/operation.ts";
import { anyOf, objectOf, oneOf, TEXT } from "../openapi/schema-words.ts";
import { INPUTS_BODY } from "./run-body.schema.ts";

export const inputs: Operation = {
  summary: "Decisions for a run, or messages that go on after it",
  body: { schema: INPUTS_BODY },
  answers: {
    202: {
      description: "Taken, durably",
      schema: anyOf(
        objectOf({ status: oneOf("decision_forwarded"), run_id: TEXT, thread_id: TEXT }),
        objectOf({ status: oneOf("continuation_started"), parent_run_id: TEXT, thread_id: TEXT }),
      ),
    },
  },
};
