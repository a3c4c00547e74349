import type { BlobStore, Clock, Store } from "@reprise/contracts";
import { withCollection } from "../shell/blob-collection.ts";
import { createDurableStore } from "../shell/create-durable-store.ts";
import { createFileBlobStore } from "./blob/file-blob-store.ts";
import { FileDriver } from "./file-driver.ts";
import { openFolder } from "./folder/open-folder.ts";
import { StoreHandle } from "./store-handle.ts";

export interface FileStoreOptions {
  /** Created when it is missing; its parent must exist. It belongs to the store: nothing else may be in it. */
  readonly folder: string;
  /** The store's clock; the system's unless given. For tests. */
  readonly clock?: Pick<Clock, "now">;
}

/** A store in a folder, and its blobs. */
export interface FileStore extends Store {
  readonly blobs: BlobStore;
}

/** Opens a store in a folder, with one log per thread. One process at a time can open it; another one gets `STORE_OWNED`. */
export async function openFileStore({ folder, clock = { now: Date.now } }: FileStoreOptions): Promise<FileStore> {
  const handle = new StoreHandle(await openFolder(folder));
  const now = (): number => clock.now();
  const store = createDurableStore(new FileDriver(handle, now));
  return withCollection(store, createFileBlobStore(handle, now), now);
}

/** Short for `openFileStore`: `createRuntime({ agents, store: await file("data") })`. */
export function file(folder: string, options: Omit<FileStoreOptions, "folder"> = {}): Promise<FileStore> {
  return openFileStore({ ...options, folder });
}
