import type { BlobStore, Env, Store } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import {
  createRuntime as createBareRuntime,
  createMemoryBlobStore,
  createMemoryStore,
  type Runtime,
  type RuntimeOptions,
} from "@reprise/runtime";

/** Options of a runtime on Node; what is left out gets a default. */
export interface NodeRuntimeOptions extends Omit<RuntimeOptions, "store" | "blobs" | "env"> {
  /** Where threads live; in memory unless said otherwise. */
  readonly store?: Store;
  readonly blobs?: BlobStore;
  readonly env?: Env;
}

/** Puts a runtime together for Node: the real clock, and a store in memory unless one is given. */
export function createRuntime(options: NodeRuntimeOptions): Promise<Runtime> {
  const { env = createNodeEnv() } = options;
  const { store = createMemoryStore({ clock: env.clock }), blobs = createMemoryBlobStore(env) } = options;
  return createBareRuntime({ ...options, env, store, blobs });
}

/** A store in memory that several runtimes of one process can share. */
export function memoryStore(): Store {
  return createMemoryStore({ clock: createNodeEnv().clock });
}
