import type { TenantStore, ToolCallRecord } from "@reprise/contracts";

/** Every call of a tenant, run by run: a store lists calls that are over only by their run or thread. */
export async function listEveryCall(tenant: TenantStore): Promise<readonly ToolCallRecord[]> {
  const { items: runs } = await tenant.listRuns({ limit: 200 });
  const pages = await Promise.all(runs.toReversed().map(({ run_id }) => tenant.listCalls({ run_id, limit: 200 })));
  return pages.flatMap(({ items }) => items);
}
