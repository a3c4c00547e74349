import type { BlobStore, Store } from "@reprise/contracts";
import { withCollection } from "./blob-collection.ts";
import type { BlobObjects } from "./blob-objects.ts";
import type { BlobRows } from "./blob-rows.ts";
import { createBlobStore } from "./blob-shell.ts";

/** What the blobs of a store are made of. */
export interface BlobParts {
  readonly rows: BlobRows;
  /** Where the bytes of larger blobs are, when that is not the database. */
  readonly objects: BlobObjects | undefined;
  now(): number;
}

/** A store and the blobs beside its threads. */
export function withBlobs(store: Store, { rows, objects, now }: BlobParts): Store & { readonly blobs: BlobStore } {
  return withCollection(store, createBlobStore(rows, objects), now);
}
