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
