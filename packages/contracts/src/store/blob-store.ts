/**
 * Large things, by content.
 *
 * - `put` returns only when the blob is as durable as the store says; the same bytes give the same reference.
 * - What was put first stays as it is: the media type of a second put of the same bytes is not kept.
 * - Tenants are separate: a reference of one means nothing to another. A tenant that is no id is `INVALID_ID`.
 */
export interface BlobStore {
  put(tenant: string, content: Uint8Array, options?: { readonly media_type?: string }): Promise<BlobInfo>;
  /** Throws `BLOB_NOT_FOUND`, also for what is no reference at all. */
  get(tenant: string, ref: string): Promise<{ readonly info: BlobInfo; readonly content: Uint8Array }>;
  /** Does nothing when it is not there. */
  delete(tenant: string, ref: string): Promise<void>;
}

export interface BlobInfo {
  /** `blob:<sha256>`. */
  readonly ref: string;
  readonly bytes: number;
  readonly media_type?: string;
}
