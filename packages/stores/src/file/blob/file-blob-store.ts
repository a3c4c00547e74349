import { assertId, type BlobStore, notFound } from "@reprise/contracts";
import { fromDiskError } from "../disk/disk-errors.ts";
import type { StoreHandle } from "../store-handle.ts";
import { hashOf } from "./blob-file.ts";
import type { BlobFolder } from "./blob-folder.ts";

const REF = /^blob:[0-9a-f]{64}$/;

/** Blobs beside the logs, in the same folder. */
export function createFileBlobStore(handle: Pick<StoreHandle, "use">): BlobStore {
  const withBlobs = <Result>(task: (blobs: BlobFolder) => Promise<Result>): Promise<Result> =>
    handle.use(async ({ blobs }) => {
      try {
        return await task(blobs);
      } catch (error) {
        throw fromDiskError(error);
      }
    });
  return {
    async put(tenant, content, { media_type } = {}) {
      assertId("tenant", tenant);
      // The caller may go on to change its bytes.
      const copy = Uint8Array.from(content);
      return withBlobs((blobs) => blobs.put(tenant, `blob:${hashOf(copy)}`, copy, media_type));
    },
    async get(tenant, ref) {
      assertId("tenant", tenant);
      if (!REF.test(ref)) throw notFound("BLOB_NOT_FOUND", "blob", ref);
      return withBlobs((blobs) => blobs.get(tenant, ref));
    },
    async delete(tenant, ref) {
      assertId("tenant", tenant);
      if (REF.test(ref)) await withBlobs((blobs) => blobs.delete(tenant, ref));
    },
  };
}
