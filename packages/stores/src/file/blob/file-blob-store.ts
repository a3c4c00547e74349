import {
  assertId,
  type BlobRange,
  type BlobStore,
  cutRange,
  loadWhole,
  notFound,
  toBlobPieces,
} from "@reprise/contracts";
import { COLLECT_AFTER_MS } from "../../shell/blob-collection.ts";
import { isReferred } from "../../tables/read/referred-blobs.ts";
import { fromDiskError } from "../disk/disk-errors.ts";
import { tenantFolder } from "../disk/file-names.ts";
import type { StoreHandle } from "../store-handle.ts";
import { readPieces } from "./blob-file.ts";
import type { BlobFolder } from "./blob-folder.ts";

const REF = /^blob:[0-9a-f]{64}$/;

/**
 * One step with the blobs of a folder. A put or a read has many steps. Closing the store waits for the current step, not for the
 * caller's next piece.
 */
type Step = <Result>(task: (blobs: BlobFolder) => Promise<Result>) => Promise<Result>;

/** Blobs beside the logs, in the same folder. */
export function createFileBlobStore(handle: Pick<StoreHandle, "use">, now: () => number): BlobStore {
  const step: Step = (task) =>
    handle.use(async ({ blobs }) => {
      try {
        return await task(blobs);
      } catch (error) {
        throw fromDiskError(error);
      }
    });
  const read: BlobStore["read"] = async (tenant, ref, range) => {
    assertId("tenant", tenant);
    if (!REF.test(ref)) throw notFound("BLOB_NOT_FOUND", "blob", ref);
    const info = await step((blobs) => blobs.find(tenant, ref));
    return { info, content: readBlob(step, { tenant, ref }, cutRange(range, info.bytes)) };
  };
  return {
    async put(tenant, content, { media_type, max_bytes = Number.POSITIVE_INFINITY, quota_bytes } = {}) {
      assertId("tenant", tenant);
      const draft = await step((blobs) => blobs.draft(media_type));
      try {
        for await (const piece of toBlobPieces(content, { max_bytes })) await step(() => draft.add(piece));
        return await step((blobs) => blobs.keep(tenant, draft, { now: now(), quota: quota_bytes }));
      } catch (error) {
        await draft.drop();
        throw error;
      }
    },
    read,
    get: async (tenant, ref) => loadWhole(await read(tenant, ref)),
    async delete(tenant, ref) {
      assertId("tenant", tenant);
      if (REF.test(ref)) await step((blobs) => blobs.delete(tenant, ref));
    },
    collect: () =>
      handle.use(async ({ tables, blobs }) => {
        const tenants = new Map([...tables.tenants].map(([id, tenant]) => [tenantFolder(id), tenant]));
        const references = { isReferred: (folder: string, ref: string) => isReferred(tenants.get(folder), ref) };
        return blobs.collect(now() - COLLECT_AFTER_MS, references);
      }),
    async usage(tenant) {
      assertId("tenant", tenant);
      return step((blobs) => blobs.usage(tenant));
    },
  };
}

/** The file is open from the first piece to the last, or until its reader stops; so it can be deleted meanwhile. */
async function* readBlob(
  step: Step,
  { tenant, ref }: { readonly tenant: string; readonly ref: string },
  range: BlobRange,
): AsyncGenerator<Uint8Array, void> {
  const { file, head } = await step((blobs) => blobs.open(tenant, ref));
  try {
    const pieces = readPieces(file, head, range);
    for (;;) {
      const { done, value } = await step(() => pieces.next());
      if (done === true || value === undefined) return;
      yield value;
    }
  } finally {
    await file.close();
  }
}
