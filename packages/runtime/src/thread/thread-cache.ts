import type { TenantStore } from "@reprise/contracts";
import { LoadedThread, loadThread } from "./loaded-thread.ts";
import { tenantKey } from "./tenant-key.ts";

/** Threads that were worked on lately, so that the next turn need not load them. The oldest is dropped first. */
export class ThreadCache {
  readonly #threads = new Map<string, LoadedThread>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The thread as it is in the store now; an empty one when it does not exist yet. */
  async load(store: TenantStore, tenant: string, threadId: string): Promise<LoadedThread> {
    const key = tenantKey(tenant, threadId);
    const cached = this.#threads.get(key);
    const loaded = (await loadThread(store, threadId, cached)) ?? new LoadedThread(threadId, 0, {}, []);
    this.#threads.delete(key);
    this.#threads.set(key, loaded);
    const oldest = this.#threads.size > this.#limit ? this.#threads.keys().next().value : undefined;
    if (oldest !== undefined) this.#threads.delete(oldest);
    return loaded;
  }

  /** Forgets a thread whose copy in memory can no longer be trusted. */
  forget(tenant: string, threadId: string): void {
    this.#threads.delete(tenantKey(tenant, threadId));
  }
}
