import type { TenantStore } from "@reprise/contracts";
import { LoadedThread, loadThread } from "./loaded-thread.ts";
import { tenantKey } from "./tenant-key.ts";

/** How much a cache may hold. */
export interface CacheLimits {
  readonly cachedThreads: number;
  /** Of all messages of all cached threads together. */
  readonly cachedCharacters: number;
}

/** Threads grow while they are cached, so what they hold is added up anew now and then. */
const WEIGH_EVERY = 32;

/** Threads that were worked on lately, so that the next turn need not load them. The oldest is dropped first. */
export class ThreadCache {
  readonly #threads = new Map<string, LoadedThread>();
  readonly #limits: CacheLimits;
  #loads = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#threads.size;
  }

  /** The thread as it is in the store now; an empty one when it does not exist yet. */
  async load(store: TenantStore, tenant: string, threadId: string): Promise<LoadedThread> {
    const key = tenantKey(tenant, threadId);
    const cached = this.#threads.get(key);
    const loaded = (await loadThread(store, threadId, cached)) ?? new LoadedThread(threadId, 0, {}, []);
    this.#threads.delete(key);
    this.#threads.set(key, loaded);
    this.#loads += 1;
    if (this.#loads % WEIGH_EVERY === 0) this.#dropHeavy();
    const oldest = this.#threads.size > this.#limits.cachedThreads ? this.#threads.keys().next().value : undefined;
    if (oldest !== undefined) this.#threads.delete(oldest);
    return loaded;
  }

  /** Forgets a thread whose copy in memory can no longer be trusted. */
  forget(tenant: string, threadId: string): void {
    this.#threads.delete(tenantKey(tenant, threadId));
  }

  /** Drops the oldest until the rest is within its limit. */
  #dropHeavy(): void {
    let characters = 0;
    for (const thread of this.#threads.values()) characters += thread.characters;
    for (const [key, thread] of this.#threads) {
      if (characters <= this.#limits.cachedCharacters) return;
      characters -= thread.characters;
      this.#threads.delete(key);
    }
  }
}
