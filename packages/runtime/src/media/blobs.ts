import {
  type BlobContent,
  type BlobInfo,
  type BlobLinkOptions,
  type BlobRange,
  type BlobReading,
  type BlobStore,
  blobRefOf,
  type LoadedFile,
  type ModelRequest,
  type PutBlobOptions,
} from "@reprise/contracts";

/** What messages name by `blob:` and `media://`: what models made, and outputs of tools that are too large for a thread. */
export interface Blobs {
  /** Reads one. Throws `BLOB_NOT_FOUND`, also for what names none. */
  read(url: string): Promise<LoadedFile>;
  /** Reads one, or a range of it, piece by piece, so that it is never held whole. Throws `BLOB_NOT_FOUND` as `read` does. */
  stream(url: string, range?: BlobRange): Promise<BlobReading>;
  /**
   * Stores one, whole or piece by piece; durable when it resolves. The same bytes are the same blob, with the media type they
   * first came with. Throws `BLOB_TOO_LARGE` for more than `max_bytes`.
   */
  put(content: BlobContent, options?: PutBlobOptions): Promise<BlobInfo>;
  /** An address where anybody can read one for a while; undefined when its bytes are where only this process reads them. */
  link(url: string, options: BlobLinkOptions): Promise<string | undefined>;
}

export function createBlobs({ blobs }: { readonly blobs: BlobStore }, tenant: string): Blobs {
  return {
    read: (url) => readBlob({ blobs }, tenant, url),
    stream: (url, range) => blobs.read(tenant, blobRefOf(url), range),
    put: (content, options) => blobs.put(tenant, content, options),
    link: async (url, options) => blobs.link?.(tenant, blobRefOf(url), options),
  };
}

/** The bytes behind a URL of ours. */
async function readBlob({ blobs }: { readonly blobs: BlobStore }, tenant: string, url: string): Promise<LoadedFile> {
  const { info, content } = await blobs.get(tenant, blobRefOf(url));
  return { content, ...(info.media_type !== undefined && { media_type: info.media_type }) };
}

/** Reads what the messages of a request name. Holds the store alone, so that a kept request does not hold its run. */
export function loaderOf(blobs: BlobStore, tenant: string): NonNullable<ModelRequest["load"]> {
  return (url) => readBlob({ blobs }, tenant, url);
}
