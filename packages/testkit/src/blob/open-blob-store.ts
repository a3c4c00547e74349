import type { BlobStore } from "@reprise/contracts";

/** Blobs under test, none yet, and what a test may do to them. */
export interface OpenedBlobStore {
  readonly blobs: BlobStore;
  /** A second handle on the same blobs, as another process or a later one would have. Absent when there can be none. */
  reopen?(): Promise<BlobStore>;
  /** How many things are kept that are no part of any blob. Absent where there can be none. */
  countStray?(): Promise<number>;
  /** Closes every handle and takes the data away. */
  close(): Promise<void>;
}

export type OpenBlobStore = () => Promise<OpenedBlobStore>;
