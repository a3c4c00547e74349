import type { StoreSignal } from "@reprise/contracts";

export type SignalListener = (signal: StoreSignal) => void;

/** The listeners. `onFirst` is called when the first one subscribes. */
export class SignalBoard {
  readonly #listeners = new Set<{ readonly listener: SignalListener }>();
  readonly #onFirst: () => void;

  constructor(onFirst: () => void) {
    this.#onFirst = onFirst;
  }

  watch(listener: SignalListener): () => void {
    const watcher = { listener };
    this.#listeners.add(watcher);
    if (this.#listeners.size === 1) this.#onFirst();
    return () => {
      this.#listeners.delete(watcher);
    };
  }

  clear(): void {
    this.#listeners.clear();
  }

  tell(signals: readonly StoreSignal[]): void {
    for (const watcher of this.#listeners) {
      for (const signal of signals) {
        // After this turn: a listener never runs inside the step of a writer.
        queueMicrotask(() => {
          if (this.#listeners.has(watcher)) deliver(watcher.listener, signal);
        });
      }
    }
  }
}

/** A listener that throws spoils its own day only. */
function deliver(listener: SignalListener, signal: StoreSignal): void {
  try {
    listener(signal);
  } catch {
    // The error has no receiver: the write is done, and the other listeners are waiting.
  }
}
