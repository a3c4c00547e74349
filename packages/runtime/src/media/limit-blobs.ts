import type { BlobStore } from "@reprise/contracts";

/** Blobs of which each tenant may have so many bytes in all. Who says another quota for a blob gets that. */
export function limitBlobs(blobs: BlobStore, tenantBytes: number): BlobStore {
  return {
    ...blobs,
    put: (tenant, content, options) => blobs.put(tenant, content, { quota_bytes: tenantBytes, ...options }),
  };
}
