import type { BlobStore, Store } from "@reprise/contracts";
import { withCollection } from "./blob-collection.ts";
import type { BlobRows } from "./blob-rows.ts";
import { createBlobStore } from "./blob-shell.ts";

/** A store and the blobs beside its threads, in the tables of its database. */
export function withBlobs(store: Store, rows: BlobRows, now: () => number): Store & { readonly blobs: BlobStore } {
  return withCollection(store, createBlobStore(rows), now);
}
