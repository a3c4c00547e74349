import type { Operation } from "../openapi/operation.ts";
import { OBJECT, objectOf, TEXT } from "../openapi/schema-words.ts";

export const webhook: Operation = {
  summary: "Starts a run of a workflow with a webhook trigger; the same request again is the same run",
  headers: {
    "idempotency-key": { ...TEXT, description: "Names the delivery: sent again with another time, it is the same run" },
    "x-reprise-delivery": { ...TEXT, description: "The same, where `Idempotency-Key` is not given" },
    "x-reprise-timestamp": { ...TEXT, description: "Seconds since 1970, at most five minutes from now" },
    "x-reprise-signature": {
      ...TEXT,
      description: "`sha256=` and the HMAC-SHA256 of `<timestamp>.<body>` in hexadecimal digits",
    },
  },
  body: { schema: { ...OBJECT, description: "Inputs of the workflow, over those of its trigger" }, isOptional: true },
  answers: {
    202: { description: "Accepted, durably", schema: objectOf({ run_id: TEXT, thread_id: TEXT, workflow_id: TEXT }) },
  },
};
