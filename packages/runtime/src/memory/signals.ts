import type { StoreSignal } from "@reprise/contracts";

export type SignalListener = (signal: StoreSignal) => void;

/** Tells listeners what happened, after the turn in which it happened: a listener never runs inside a write. */
export class Signals {
  readonly #listeners: Set<{ readonly listener: SignalListener }> = new Set();

  watch(listener: SignalListener): () => void {
    const watcher = { listener };
    this.#listeners.add(watcher);
    return () => {
      this.#listeners.delete(watcher);
    };
  }

  emit(signal: StoreSignal): void {
    for (const watcher of this.#listeners) {
      void Promise.resolve().then(() => {
        if (this.#listeners.has(watcher)) deliver(watcher.listener, signal);
      });
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** A listener that throws spoils its own day only. */
function deliver(listener: SignalListener, signal: StoreSignal): void {
  try {
    listener(signal);
  } catch {
    // Nobody to tell: the write is done, and the other listeners are waiting.
  }
}
