import type { BlobStore, Clock, Env, Store } from "@reprise/contracts";
import { withCollection } from "../shell/blob-collection.ts";
import { createDurableStore } from "../shell/create-durable-store.ts";
import { createMemoryBlobStore } from "./memory-blob-store.ts";
import { MemoryDriver } from "./memory-driver.ts";

/** A store in memory, for tests and for programs that need nothing kept. Its rules and laws are those of every store. */
export function createMemoryStore({ clock }: { readonly clock: Pick<Clock, "now"> }): Store {
  return createDurableStore(new MemoryDriver(() => clock.now()));
}

/** The same with the blobs of its threads: those that no thread refers to are collected. */
export function createMemoryStoreWithBlobs(env: Pick<Env, "clock" | "hash">): Store & { readonly blobs: BlobStore } {
  const now = (): number => env.clock.now();
  const driver = new MemoryDriver(now);
  const blobs = createMemoryBlobStore(env, { now, referred: (tenant) => driver.referredBlobs(tenant) });
  return withCollection(createDurableStore(driver), blobs, now);
}
