import type { ThreadKey } from "@reprise/contracts";
import type { Tables } from "./tables.ts";

/** The threads an owner has a claim on. */
export function findClaims({ threads }: Tables, owner: string): readonly ThreadKey[] {
  const held = [...threads].filter(({ row }) => row?.claim?.owner === owner);
  return held.map(({ tenant: { tenant }, threadId }) => ({ tenant, thread_id: threadId }));
}

/** The threads of a tenant that anybody has a claim on. */
export function findClaimed({ threads }: Tables, tenant: string): readonly string[] {
  const held = [...threads].filter((thread) => thread.tenant.tenant === tenant && thread.row?.claim != null);
  return held.map(({ threadId }) => threadId);
}
