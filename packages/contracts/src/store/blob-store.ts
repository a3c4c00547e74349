/**
 * Large things, by content.
 *
 * - `put` returns only when the blob is as durable as the store says; the same bytes give the same reference.
 * - Pieces are taken as they come, one after the other and of any length; a durable store holds a few of them at most. What the
 *   source throws is thrown as it is, and a source that is not read to its end is told so (`return`).
 * - A put that fails, for whatever reason, leaves nothing readable, and nothing for ever: what a process that
 *   died had written of a blob is removed a day later at the latest, when a process opens the store or puts a large blob.
 * - What was put first stays as it is: the media type of a second put of the same bytes is not kept. Puts of the same bytes at the
 *   same time are one blob, with the media type of one of them.
 * - A read gives the bytes that were put, in order, or throws: it never ends early as if it were whole. Nothing is held open before
 *   its first piece is asked for, nor after its last one or after its reader stopped. A blob that is deleted meanwhile may be read
 *   to its end or be `BLOB_NOT_FOUND` in the middle.
 * - A thread refers to every blob that its messages, calls, state and recordings name, and so does a run that is queued on it. It
 *   does so until it is deleted, also when its history is pruned; a fork refers to what its origin did. Blobs of threads are kept.
 *   What no thread refers to may be collected a day after it was last put (`BLOB_GRACE_MS`).
 * - Tenants are separate: a reference of one means nothing to another. A tenant that is no id is `INVALID_ID`.
 */
export interface BlobStore {
  /** Throws `BLOB_TOO_LARGE`, `BLOB_QUOTA_EXCEEDED`. Bytes that are put, and a piece until the next one is asked for, must not be changed meanwhile. */
  put(tenant: string, content: BlobContent, options?: PutBlobOptions): Promise<BlobInfo>;
  /**
   * Reads a blob, or a range of it, piece by piece. Throws `BLOB_NOT_FOUND`, also for what is no reference at all, and
   * `INVALID_REQUEST` for what is no range.
   */
  read(tenant: string, ref: string, range?: BlobRange): Promise<BlobReading>;
  /** The same, all of it at once. */
  get(tenant: string, ref: string): Promise<LoadedBlob>;
  /** Does nothing when it is not there. */
  delete(tenant: string, ref: string): Promise<void>;
  /** Deletes the blobs of all tenants that no thread refers to and whose day is over. Answers how many. */
  collect(): Promise<number>;
  /** How many bytes the blobs of a tenant have. */
  usage(tenant: string): Promise<number>;
  /**
   * An address where anybody can read a blob for a while, without this process. Undefined when this blob has none; absent when no blob
   * has. Throws `BLOB_NOT_FOUND`.
   */
  link?(tenant: string, ref: string, options: BlobLinkOptions): Promise<string | undefined>;
}

/** How long a link works, and what a browser is told about the bytes behind it. */
export interface BlobLinkOptions {
  readonly expires_s: number;
  readonly media_type?: string;
  /** The header `content-disposition` of the answer. */
  readonly disposition?: string;
}

/** How long a blob is kept that no thread refers to. */
export const BLOB_GRACE_MS: number = 24 * 60 * 60 * 1_000;

/** All at once, or piece by piece. */
export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>;

export interface PutBlobOptions {
  readonly media_type?: string;
  /** More than this is `BLOB_TOO_LARGE`. Any size unless given. */
  readonly max_bytes?: number;
  /** When the tenant's blobs would have more than this in all, a new one is `BLOB_QUOTA_EXCEEDED`. No limit unless given. */
  readonly quota_bytes?: number;
}

/** Bytes from `start` on and before `end`. What is not there of it is left out, so a range behind the end is empty. */
export interface BlobRange {
  readonly start: number;
  readonly end: number;
}

/** A blob's description and its pieces. The pieces can be read once; each has at most `BLOB_PIECE_BYTES` and belongs to the reader. */
export interface BlobReading {
  readonly info: BlobInfo;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface LoadedBlob {
  readonly info: BlobInfo;
  readonly content: Uint8Array;
}

export interface BlobInfo {
  /** `blob:<sha256>`. */
  readonly ref: string;
  /** Of the whole blob. */
  readonly bytes: number;
  readonly media_type?: string;
}
