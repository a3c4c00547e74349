/**
 * Large things, by content.
 *
 * - `put` returns only when the blob is as durable as the store says; the same bytes give the same reference.
 * - Tenants are separate: a reference of one means nothing to another.
 */
export interface BlobStore {
  put(tenant: string, content: Uint8Array, options?: { readonly media_type?: string }): Promise<BlobInfo>;
  /** Throws `BLOB_NOT_FOUND`. */
  get(tenant: string, ref: string): Promise<{ readonly info: BlobInfo; readonly content: Uint8Array }>;
  delete(tenant: string, ref: string): Promise<void>;
}

export interface BlobInfo {
  /** `blob:<sha256>`. */
  readonly ref: string;
  readonly bytes: number;
  readonly media_type?: string;
}
