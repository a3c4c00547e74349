import { openSqliteStore } from "../../../packages/stores/src/sqlite/index.ts";
import type { OpenedStore } from "../contestants/reprise-store.ts";
import { makeStoreFile } from "./store-file.ts";

/** Our store in a new file. */
export async function openSqlite(): Promise<OpenedStore> {
  const { file, remove } = makeStoreFile();
  const store = await openSqliteStore({ file });
  return {
    store,
    async close() {
      await store.close();
      remove();
    },
  };
}
