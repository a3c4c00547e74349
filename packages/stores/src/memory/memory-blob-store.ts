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
import { assertQuota, COLLECT_AFTER_MS } from "../shell/blob-collection.ts";

interface StoredBlob {
  readonly info: BlobInfo;
  readonly content: Uint8Array;
  putAt: number;
}

/** What says which blobs are needed. */
export interface BlobKeeper {
  now(): number;
  /** The blobs of a tenant that threads refer to. Undefined when that is not known: then all of them are kept. */
  referred(tenant: string): ReadonlySet<string> | undefined;
}

/** Blobs without threads: other stores refer to them, so all of them are kept. */
const KEEP_ALL: BlobKeeper = { now: () => 0, referred: () => undefined };

/** Blobs in memory, by content. What is stored and what is handed out are copies: no caller can change a blob. */
export function createMemoryBlobStore({ hash }: Pick<Env, "hash">, keeper: BlobKeeper = KEEP_ALL): BlobStore {
  const tenants = new Map<string, Map<string, StoredBlob>>();
  const read: BlobStore["read"] = async (tenant, ref, range): Promise<BlobReading> => {
    const blob = tenants.get(tenant)?.get(ref);
    if (blob === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    const { start, end } = cutRange(range, blob.info.bytes);
    return { info: blob.info, content: offer(blob.content.subarray(start, end)) };
  };
  return {
    async put(tenant, content, { media_type, max_bytes = Number.POSITIVE_INFINITY, quota_bytes } = {}) {
      assertId("tenant", tenant);
      const whole = await gather(toBlobPieces(content, { max_bytes }));
      const blobs = tenants.get(tenant) ?? new Map<string, StoredBlob>();
      tenants.set(tenant, blobs);
      const ref = `blob:${hash(whole)}`;
      const known = blobs.get(ref);
      const putAt = keeper.now();
      if (known !== undefined) {
        known.putAt = putAt;
        return known.info;
      }
      if (quota_bytes !== undefined) assertQuota(usageOf(blobs), whole.byteLength, quota_bytes);
      const info = { ref, bytes: whole.byteLength, ...(media_type === undefined ? {} : { media_type }) };
      blobs.set(ref, { info, content: whole, putAt });
      return info;
    },
    read,
    get: async (tenant, ref) => loadWhole(await read(tenant, ref)),
    async delete(tenant, ref) {
      tenants.get(tenant)?.delete(ref);
    },
    async collect() {
      const before = keeper.now() - COLLECT_AFTER_MS;
      let count = 0;
      for (const [tenant, blobs] of tenants) {
        const referred = keeper.referred(tenant);
        if (referred === undefined) continue;
        for (const [ref, { putAt }] of blobs) {
          if (putAt > before || referred.has(ref)) continue;
          blobs.delete(ref);
          count += 1;
        }
      }
      return count;
    },
    usage: async (tenant) => usageOf(tenants.get(tenant) ?? new Map()),
  };
}

function usageOf(blobs: ReadonlyMap<string, StoredBlob>): number {
  return [...blobs.values()].reduce((sum, { info }) => sum + info.bytes, 0);
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
