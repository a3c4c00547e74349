import type { BlobStore, Store } from "@reprise/contracts";
import type { BlobRows } from "./blob-rows.ts";
import { createBlobStore } from "./blob-shell.ts";
import { sweepBlobs } from "./blob-sweep.ts";

/** A store and the blobs beside its threads. Who prunes the store also removes what is left of uploads. */
export function withBlobs(store: Store, rows: BlobRows): Store & { readonly blobs: BlobStore } {
  const { operator } = store;
  return {
    ...store,
    operator: {
      ...operator,
      async prune(retention, signal) {
        await sweepBlobs(rows);
        return operator.prune(retention, signal);
      },
    },
    blobs: createBlobStore(rows),
  };
}
