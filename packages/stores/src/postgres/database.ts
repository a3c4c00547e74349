import type { ConnectionPool } from "./connection-pool.ts";
import { pauseBefore } from "./pause.ts";
import { fromPostgresError, isConnectionLost, storeClosed } from "./postgres-errors.ts";
import { type Results, Session, type SessionSettings } from "./session.ts";
import type { Query } from "./statement.ts";

/** How often a read is tried on another connection, and for how long. */
const MAX_ATTEMPTS = 5;
const RETRY_MS = 5_000;

/** The connections of a store. */
export class Database {
  readonly #pool: ConnectionPool;
  readonly #settings: SessionSettings;
  #inUse = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(pool: ConnectionPool, settings: SessionSettings) {
    this.#pool = pool;
    this.#settings = settings;
  }

  /** Reads in one round trip. A connection that was lost is not the reader's trouble: another one is tried. */
  async read(queries: readonly Query[]): Promise<Results> {
    const began = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      await pauseBefore(attempt);
      try {
        return await this.use((session) => session.run(queries));
      } catch (error) {
        const isLate = attempt === MAX_ATTEMPTS || performance.now() - began > RETRY_MS;
        if (this.#isClosed || isLate || !isConnectionLost(error)) throw fromPostgresError(error);
      }
    }
  }

  /**
   * Uses one connection. What `work` throws is passed on as it is, so that a connection that was lost can be told from a server
   * that cannot be reached, which is `STORE_UNAVAILABLE` at once.
   */
  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw storeClosed();
    this.#inUse += 1;
    try {
      const client = await this.#pool.acquire().catch((error: unknown) => {
        throw fromPostgresError(error);
      });
      let session: Session | undefined;
      try {
        session = await Session.begin(client, this.#settings);
        return await work(session);
      } finally {
        this.#pool.release(client, session?.isLost ?? true);
      }
    } finally {
      this.#inUse -= 1;
      if (this.#inUse === 0) this.#onIdle?.();
    }
  }

  /** Waits for what is under way, then closes every connection. Nothing new is begun. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#inUse > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await this.#pool.close();
  }
}
