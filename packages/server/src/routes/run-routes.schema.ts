import { RUN_ORIGINS } from "@reprise/contracts";
import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { aliases, bodyOf, COUNT, objectOf, oneOf, PAGE_QUERY, pageOf, TEXT, TIME } from "../openapi/schema-words.ts";
import { RUN_BODY } from "../wire/run-body.ts";
import { CHILDREN_PARAMETER } from "./run-event-routes.schema.ts";

export const list: Operation = {
  summary: "Runs, newest first",
  query: {
    ...PAGE_QUERY,
    thread_id: TEXT,
    parent_run_id: TEXT,
    agent_id: TEXT,
    status: oneOf("running", "waiting", "done"),
    origin: oneOf(...RUN_ORIGINS),
    termination_code: TEXT,
    created_at_from: TIME,
    created_at_to: TIME,
    updated_at_from: TIME,
    updated_at_to: TIME,
  },
  answers: { 200: { description: "A page of runs", schema: pageOf(ref("Run")) } },
};

export const start: Operation = {
  summary: "Starts a run and streams its events; decisions need the scope decide too",
  query: { children: CHILDREN_PARAMETER },
  headers: { "idempotency-key": TEXT },
  body: { schema: RUN_BODY.schema },
  answers: {
    200: {
      description: "The events of the run; x-reprise-warnings says what was ignored",
      contentType: "text/event-stream",
    },
  },
};

export const get: Operation = {
  summary: "A run; of one that has not begun, its position in the mailbox",
  answers: { 200: { description: "The run", schema: ref("Run") } },
};

export const cancel: Operation = {
  summary: "Ends a run",
  answers: {
    202: { description: "Asked for, durably", schema: objectOf({ status: oneOf("cancel_requested"), run_id: TEXT }) },
  },
};

export const setBudget: Operation = {
  summary: "Sets the limits of a run's budget anew; what is spent stays spent",
  body: {
    schema: bodyOf(
      {},
      {
        ...aliases(["limitMicrocents", "limit_microcents"], COUNT),
        ...aliases(["limitTokens", "limit_tokens"], COUNT),
      },
    ),
  },
  answers: { 200: { description: "The budget as it is now", schema: ref("Budget") } },
};

export const budget: Operation = {
  summary: "What a run may spend and has spent",
  answers: { 200: { description: "The budget", schema: ref("Budget") } },
};
