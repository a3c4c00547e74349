import { assertId, type BlobInfo, type BlobStore, type Env, notFound } from "@reprise/contracts";

interface StoredBlob {
  readonly info: BlobInfo;
  readonly content: Uint8Array;
}

/** Blobs in memory, by content. What is stored and what is handed out are copies: nobody can change a blob. */
export function createMemoryBlobStore({ hash }: Pick<Env, "hash">): BlobStore {
  const tenants = new Map<string, Map<string, StoredBlob>>();
  return {
    async put(tenant, content, { media_type } = {}) {
      assertId("tenant", tenant);
      const blobs = tenants.get(tenant) ?? new Map<string, StoredBlob>();
      tenants.set(tenant, blobs);
      const ref = `blob:${hash(content)}`;
      const known = blobs.get(ref);
      if (known !== undefined) return known.info;
      const info = { ref, bytes: content.byteLength, ...(media_type === undefined ? {} : { media_type }) };
      blobs.set(ref, { info, content: content.slice() });
      return info;
    },
    async get(tenant, ref) {
      const blob = tenants.get(tenant)?.get(ref);
      if (blob === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
      return { info: blob.info, content: blob.content.slice() };
    },
    async delete(tenant, ref) {
      tenants.get(tenant)?.delete(ref);
    },
  };
}
