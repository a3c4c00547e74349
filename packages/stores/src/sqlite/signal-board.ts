import type { StoreSignal } from "@reprise/contracts";
import type { Connection } from "./connection.ts";
import { lastSignal, readSignals } from "./signal-log.ts";

export type SignalListener = (signal: StoreSignal) => void;

/**
 * Tells listeners what this handle wrote, and, by looking now and then, what others did. Looking asks SQLite whether the file
 * changed at all, which costs microseconds; its timer does not keep the process alive and runs only while there are listeners.
 */
export class SignalBoard {
  readonly #connection: Connection;
  readonly #writer: number;
  readonly #pollMs: number;
  readonly #listeners = new Set<{ readonly listener: SignalListener }>();
  #timer: NodeJS.Timeout | undefined;
  #seen = 0;
  #dataVersion = -1;

  constructor(connection: Connection, writer: number, pollMs: number) {
    this.#connection = connection;
    this.#writer = writer;
    this.#pollMs = pollMs;
  }

  watch(listener: SignalListener): () => void {
    const watcher = { listener };
    this.#listeners.add(watcher);
    if (this.#timer === undefined) this.#start();
    return () => {
      this.#listeners.delete(watcher);
      if (this.#listeners.size === 0) this.close();
    };
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

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #start(): void {
    this.#seen = lastSignal(this.#connection);
    this.#timer = setInterval(() => this.#look(), this.#pollMs);
    this.#timer.unref();
  }

  #look(): void {
    try {
      const version = Number(this.#connection.get("pragma data_version")?.data_version ?? 0);
      if (version === this.#dataVersion) return;
      const last = lastSignal(this.#connection);
      const signals = readSignals(this.#connection, this.#seen, this.#writer);
      this.#seen = last;
      // Only now: a change that could not be read is looked at again.
      this.#dataVersion = version;
      this.tell(signals);
    } catch {
      // The file could not be read now. Callers that need it get the error, and the board polls again.
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
