import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import {
  ANYTHING,
  aliases,
  bodyOf,
  FLAG,
  listOf,
  objectOf,
  oneOf,
  PAGE_QUERY,
  pageOf,
  TEXT,
} from "../openapi/schema-words.ts";
import { GATE_DECISIONS } from "../workflow/decode-gate.ts";
import { events as runEvents } from "./run-event-routes.schema.ts";
import { cancel as runCancel } from "./run-routes.schema.ts";

export const list: Operation = {
  summary: "Runs of workflows, newest first",
  query: { ...PAGE_QUERY, workflow_id: TEXT, status: oneOf("running", "waiting", "done") },
  answers: { 200: { description: "A page of runs", schema: pageOf(ref("WorkflowRun")) } },
};

export const get: Operation = {
  summary: "A run of a workflow: how its nodes stand, and what it asks",
  query: { workflow: { ...FLAG, default: false, description: "With the document that the run keeps" } },
  answers: { 200: { description: "The run", schema: ref("WorkflowRun") } },
};

export const cancel: Operation = { ...runCancel, summary: "Ends a run of a workflow" };

export const events: Operation = {
  ...runEvents,
  summary: "The events of a workflow's run, from any point",
  query: {
    ...runEvents.query,
    format: {
      enum: ["events", "facts", "colon"],
      default: "events",
      description: "`colon` for run:started, node:completed and the others, with their sequenceNumber",
    },
  },
};

export const gate: Operation = {
  summary: "Answers a gate, by the id of its call or by its node",
  body: {
    schema: bodyOf(
      { decision: oneOf(...GATE_DECISIONS) },
      { payload: ANYTHING, comment: TEXT, ...aliases(["decisionId", "decision_id"], TEXT) },
    ),
  },
  answers: {
    202: { description: "The decision as it is stored; the same for the same decision again", schema: ref("Decision") },
  },
};

export const sendEvent: Operation = {
  summary: "Sends an event to the nodes that wait for it; 409 when none does",
  body: { schema: bodyOf({}, { payload: ANYTHING }), isOptional: true },
  answers: {
    202: { description: "Taken, durably", schema: objectOf({ run_id: TEXT, calls: listOf(TEXT) }) },
  },
};

export const restart: Operation = {
  summary: "Starts a new run from a node, which keeps everything that does not depend on it",
  body: { schema: bodyOf({ from: { ...TEXT, description: "The node that runs again, and everything behind it" } }) },
  answers: {
    202: {
      description: "Accepted, durably",
      schema: objectOf({ run_id: TEXT, thread_id: TEXT, restarted_run_id: TEXT }),
    },
  },
};
