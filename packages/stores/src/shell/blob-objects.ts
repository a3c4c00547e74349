import type { BlobLinkOptions } from "@reprise/contracts";

/** The bytes of one blob on their way to an object store. Ends with `finish` or `giveUp`. */
export interface ObjectUpload {
  add(piece: Uint8Array): Promise<void>;
  /** The object is whole and durable when it resolves. */
  finish(): Promise<void>;
  /** Leaves nothing behind that can be removed now. Never throws. */
  giveUp(): Promise<void>;
}

/**
 * Where the bytes of blobs are when they are not in the database. The database keeps what decides: which blobs there are, who refers to
 * them, how many bytes a tenant has. An object is written once under a key of its own, so that removing one never meets another's put.
 */
export interface BlobObjects {
  /** Blobs of up to this many bytes stay in the database. */
  readonly inlineBytes: number;
  /** Throws when the store refuses us: a wrong bucket, a wrong key. Not when it cannot be reached, which passes. */
  check(): Promise<void>;
  upload(key: string): ObjectUpload;
  /** The bytes from `start` on and before `end`, in pieces of `BLOB_PIECE_BYTES` at most. `BLOB_NOT_FOUND` when the object is gone. */
  read(key: string, range: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
  /** Removes an object, and what there is of one that was never finished. Does nothing when there is none. */
  remove(key: string): Promise<void>;
  /** An address where anybody can read the object for a while. */
  link(key: string, options: BlobLinkOptions): Promise<string>;
}
