import type { Clock, Store, StoreSignal } from "@reprise/contracts";
import { tenantKey } from "../thread/tenant-key.ts";

type Listener = (signal: StoreSignal) => void;

/** What a waiter for a thread hears; `closed` is the last thing. */
type ThreadListener = (kind: StoreSignal["kind"] | "closed") => void;

/** One watch on the store, shared by everybody in the process who waits for a thread. */
export class Signals {
  readonly #byThread = new Map<string, Set<ThreadListener>>();
  readonly #listeners = new Set<Listener>();
  readonly #stop: () => void;
  readonly #closed = new AbortController();

  constructor(store: Store, clock: Clock, recheckMs: number) {
    void this.#recheck(clock, recheckMs);
    this.#stop = store.operator.watch((signal) => {
      for (const listener of this.#listeners) listener(signal);
      for (const listener of this.#byThread.get(tenantKey(signal.tenant, signal.thread_id)) ?? []) {
        listener(signal.kind);
      }
    });
  }

  /** Hears everything. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Hears what happens to one thread. */
  listenTo(tenant: string, threadId: string, listener: ThreadListener): () => void {
    const key = tenantKey(tenant, threadId);
    const listeners = this.#byThread.get(key) ?? new Set();
    this.#byThread.set(key, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byThread.get(key) === listeners) this.#byThread.delete(key);
    };
  }

  /** Has who waits for a thread look again. */
  nudge(tenant: string, threadId: string): void {
    for (const listener of [...(this.#byThread.get(tenantKey(tenant, threadId)) ?? [])]) listener("commit");
  }

  /** Hears no more, and lets everybody know who waits. */
  close(): void {
    this.#stop();
    this.#closed.abort();
    for (const listeners of [...this.#byThread.values()]) for (const listener of [...listeners]) listener("closed");
  }

  /** Has everybody look again now and then: a signal from another process may get lost. */
  async #recheck(clock: Clock, everyMs: number): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal, { background: true }).catch(() => undefined);
      if (signal.aborted) return;
      for (const listeners of [...this.#byThread.values()]) for (const listener of [...listeners]) listener("commit");
    }
  }
}
