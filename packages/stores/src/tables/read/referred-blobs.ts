import type { TenantTables } from "../tenant-tables.ts";

/** The blobs that the threads of a tenant refer to. */
export function referredBlobs(tenant: TenantTables | undefined): ReadonlySet<string> {
  return new Set(tenant?.threads.values().flatMap(({ blobRefs }) => blobRefs));
}

/** Whether any thread of a tenant refers to a blob. */
export function isReferred(tenant: TenantTables | undefined, ref: string): boolean {
  return tenant?.threads.values().some(({ blobRefs }) => blobRefs.has(ref)) === true;
}
