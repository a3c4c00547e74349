import type { BlobStore, Env, Store } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import {
  createRuntime as createBareRuntime,
  createMemoryBlobStore,
  createMemoryStore,
  type Runtime,
  type RuntimeOptions,
} from "@reprise/runtime";

/** A store that may bring the blobs that belong to it. */
export type StoreWithBlobs = Store & { readonly blobs?: BlobStore };

/** Options of a runtime on Node; what is left out gets a default. */
export interface NodeRuntimeOptions extends Omit<RuntimeOptions, "store" | "blobs" | "env"> {
  /** Where threads live, or the promise of it; in memory unless said otherwise. */
  readonly store?: StoreWithBlobs | Promise<StoreWithBlobs>;
  /** Where large outputs and files live; with the threads when the store has a place for them. */
  readonly blobs?: BlobStore;
  readonly env?: Env;
}

/** Puts a runtime together for Node: the real clock, and a store in memory unless one is given. */
export async function createRuntime(options: NodeRuntimeOptions): Promise<Runtime> {
  const { env = createNodeEnv() } = options;
  const store: StoreWithBlobs = (await options.store) ?? createMemoryStore({ clock: env.clock });
  const blobs = options.blobs ?? store.blobs ?? createMemoryBlobStore(env);
  return createBareRuntime({ ...options, env, store, blobs });
}

/** A store in memory that several runtimes of one process can share. */
export function memoryStore(): Store {
  return createMemoryStore({ clock: createNodeEnv().clock });
}
