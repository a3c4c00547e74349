import type { Operation } from "../openapi/operation.ts";
import { COUNT, FLAG, listOf, objectOf, TEXT, TIME } from "../openapi/schema-words.ts";

const LEASE = objectOf(
  { thread_id: TEXT, owner: TEXT, epoch: COUNT, lease_until: TIME, kind: TEXT, is_expired: FLAG },
  { run_id: TEXT },
);

export const list: Operation = {
  summary: "Who works on which thread",
  answers: { 200: { description: "All leases of the tenant", schema: objectOf({ items: listOf(LEASE) }) } },
};

const WORKER = objectOf({
  owner: TEXT,
  until: { ...TIME, description: "How long it counts as alive unless it says so again" },
  is_expired: FLAG,
  agents: { ...listOf(TEXT), description: "The agents that it can run" },
});

export const workers: Operation = {
  summary: "The processes that work on the store, and which agents each serves",
  answers: { 200: { description: "All of them", schema: objectOf({ items: listOf(WORKER) }) } },
};
