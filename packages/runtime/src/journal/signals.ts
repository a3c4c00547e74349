import type { Clock, Store, StoreSignal } from "@reprise/contracts";
import { tenantKey } from "../thread/tenant-key.ts";

type Listener = (signal: StoreSignal) => void;

/** What a waiter for a thread hears; `closed` is the last thing. */
type ThreadListener = (kind: StoreSignal["kind"] | "closed") => void;

/**
 * One watch on the store, shared by all waiters of this process. While there is one, the process stays:
 * nothing else may keep it, when another one does the work and all connections rest.
 */
export class Signals {
  readonly #byThread = new Map<string, Set<ThreadListener>>();
  readonly #listeners = new Set<Listener>();
  readonly #clock: Clock;
  readonly #recheckMs: number;
  readonly #stop: () => void;
  /** Runs while there are waiters. */
  #stopRechecking: (() => void) | undefined;
  #isClosed = false;

  constructor(store: Store, clock: Clock, recheckMs: number) {
    this.#clock = clock;
    this.#recheckMs = recheckMs;
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
    if (this.#stopRechecking === undefined && !this.#isClosed) this.#recheckLater();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byThread.get(key) === listeners) this.#byThread.delete(key);
      if (this.#byThread.size === 0) this.#rest();
    };
  }

  /** Has who waits for a thread look again. */
  nudge(tenant: string, threadId: string): void {
    for (const listener of [...(this.#byThread.get(tenantKey(tenant, threadId)) ?? [])]) listener("commit");
  }

  /** Hears no more, and lets everybody know who waits. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#tellAll("closed");
    this.#rest();
  }

  /** Has everybody look again now and then: a signal from another process may get lost. */
  #recheckLater(): void {
    this.#stopRechecking = this.#clock.after(this.#recheckMs, () => {
      this.#recheckLater();
      this.#tellAll("commit");
    });
  }

  #rest(): void {
    this.#stopRechecking?.();
    this.#stopRechecking = undefined;
  }

  #tellAll(kind: Parameters<ThreadListener>[0]): void {
    for (const listeners of [...this.#byThread.values()]) for (const listener of [...listeners]) listener(kind);
  }
}
