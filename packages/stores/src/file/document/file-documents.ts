import type { DocumentRows } from "../../shell/document-rows.ts";
import { fromDiskError } from "../disk/disk-errors.ts";
import type { StoreHandle } from "../store-handle.ts";
import type { DocumentFolder } from "./document-folder.ts";

/** Documents beside the logs, in the same folder. */
export function createFileDocuments(handle: Pick<StoreHandle, "use">, now: () => number): DocumentRows {
  const use = <Result>(task: (documents: DocumentFolder) => Promise<Result>): Promise<Result> =>
    handle.use(async ({ documents }) => {
      try {
        return await task(documents);
      } catch (error) {
        throw fromDiskError(error);
      }
    });
  return {
    load: async (key) => use((documents) => documents.load(key, now())),
    save: async (document, expected) => use((documents) => documents.save(document, expected, now())),
    delete: async (key, expected) => use((documents) => documents.delete(key, expected, now())),
    list: async ({ tenant, kind, after, limit }) =>
      use((documents) => documents.list({ tenant, kind, id: after }, limit, now())),
    prune: async (limit) => use((documents) => documents.prune(limit, now())),
  };
}
