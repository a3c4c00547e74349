import {
  assertId,
  type BlobInfo,
  type BlobReading,
  type BlobStore,
  cutPieces,
  cutRange,
  type Env,
  loadWhole,
  notFound,
  toBlobPieces,
} from "@reprise/contracts";

interface StoredBlob {
  readonly info: BlobInfo;
  readonly content: Uint8Array;
}

/** Blobs in memory, by content. What is stored and what is handed out are copies: nobody can change a blob. */
export function createMemoryBlobStore({ hash }: Pick<Env, "hash">): BlobStore {
  const tenants = new Map<string, Map<string, StoredBlob>>();
  const read: BlobStore["read"] = async (tenant, ref, range): Promise<BlobReading> => {
    const blob = tenants.get(tenant)?.get(ref);
    if (blob === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    const { start, end } = cutRange(range, blob.info.bytes);
    return { info: blob.info, content: offer(blob.content.subarray(start, end)) };
  };
  return {
    async put(tenant, content, { media_type, max_bytes = Number.POSITIVE_INFINITY } = {}) {
      assertId("tenant", tenant);
      const whole = await gather(toBlobPieces(content, { max_bytes }));
      const blobs = tenants.get(tenant) ?? new Map<string, StoredBlob>();
      tenants.set(tenant, blobs);
      const ref = `blob:${hash(whole)}`;
      const known = blobs.get(ref);
      if (known !== undefined) return known.info;
      const info = { ref, bytes: whole.byteLength, ...(media_type === undefined ? {} : { media_type }) };
      blobs.set(ref, { info, content: whole });
      return info;
    },
    read,
    get: async (tenant, ref) => loadWhole(await read(tenant, ref)),
    async delete(tenant, ref) {
      tenants.get(tenant)?.delete(ref);
    },
  };
}

async function* offer(content: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield* cutPieces(content);
}

/** This is where blobs are kept, so it is held whole. */
async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const taken: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    taken.push(piece);
    bytes += piece.byteLength;
  }
  const [only] = taken;
  if (taken.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(bytes);
  let filled = 0;
  for (const piece of taken) {
    whole.set(piece, filled);
    filled += piece.byteLength;
  }
  return whole;
}
