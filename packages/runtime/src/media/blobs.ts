import { type BlobInfo, blobRefOf, type LoadedFile } from "@reprise/contracts";
import type { Services } from "../services.ts";

/** What messages name by `blob:` and `media://`: what models made, and outputs of tools that are too large for a thread. */
export interface Blobs {
  /** Reads one. Throws `BLOB_NOT_FOUND`, also for what names none. */
  read(url: string): Promise<LoadedFile>;
  /** Stores one; durable when it resolves. The same bytes are the same blob, with the media type they first came with. */
  put(content: Uint8Array, options?: { readonly media_type?: string }): Promise<BlobInfo>;
}

export function createBlobs({ blobs }: Pick<Services, "blobs">, tenant: string): Blobs {
  return {
    read: (url) => readBlob({ blobs }, tenant, url),
    put: (content, options) => blobs.put(tenant, content, options),
  };
}

/** The bytes behind a URL of ours. */
export async function readBlob({ blobs }: Pick<Services, "blobs">, tenant: string, url: string): Promise<LoadedFile> {
  const { info, content } = await blobs.get(tenant, blobRefOf(url));
  return { content, ...(info.media_type !== undefined && { media_type: info.media_type }) };
}
