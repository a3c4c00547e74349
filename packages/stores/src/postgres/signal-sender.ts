import type { StoreSignal } from "@reprise/contracts";
import type { Database } from "./database.ts";
import { encodeSignals } from "./signal-codec.ts";
import { prepared } from "./statement.ts";

/** Nothing is written, so nothing need be flushed; otherwise every notification would wait for the disk. */
const NOTIFY = prepared("select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)");

/** What comes within this time is told together. */
const GATHER_MS = 2;

/** While there is much to tell, a notification comes this long after the one before: each is a transaction of its own. */
const BETWEEN_MS = 10;

/** More signals than this are dropped while the server is away: listeners poll when it is back. */
const MAX_KEPT = 10_000;

/**
 * Tells other processes what was written, after it was, and apart from it: a notification inside a transaction would make all
 * commits of all processes wait for each other.
 */
export class SignalSender {
  readonly #database: Database;
  readonly #channel: string;
  readonly #writer: string;
  #signals: StoreSignal[] = [];
  #sending: Promise<void> | undefined;
  #lastSent = 0;

  constructor(database: Database, channel: string, writer: string) {
    this.#database = database;
    this.#channel = channel;
    this.#writer = writer;
  }

  send(signals: readonly StoreSignal[]): void {
    if (signals.length === 0) return;
    if (this.#signals.length < MAX_KEPT) this.#signals.push(...signals);
    this.#sending ??= this.#sendAll();
  }

  /** Waits until everything is sent. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#signals.length > 0) {
      const pauseMs = Math.max(this.#lastSent + BETWEEN_MS - performance.now(), GATHER_MS);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      this.#lastSent = performance.now();
      const payloads = encodeSignals(this.#writer, this.#signals);
      this.#signals = [];
      // Those who were not told find out by looking.
      await this.#database.read(payloads.map((payload) => NOTIFY(this.#channel, payload))).catch(() => undefined);
    }
    this.#sending = undefined;
  }
}
