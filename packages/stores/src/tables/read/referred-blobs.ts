import type { TenantTables } from "../tenant-tables.ts";

/** The blobs that the threads of a tenant refer to. */
export function referredBlobs(tenant: TenantTables | undefined): ReadonlySet<string> {
  const refs = new Set<string>();
  for (const { blobRefs } of tenant?.threads.values() ?? []) for (const ref of blobRefs) refs.add(ref);
  return refs;
}

/** Whether any thread of a tenant refers to a blob. */
export function isReferred(tenant: TenantTables | undefined, ref: string): boolean {
  for (const { blobRefs } of tenant?.threads.values() ?? []) if (blobRefs.has(ref)) return true;
  return false;
}
