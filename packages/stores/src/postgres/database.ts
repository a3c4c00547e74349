import type { ConnectionPool } from "./connection-pool.ts";
import { fromPostgresError, isConnectionLost, storeClosed } from "./postgres-errors.ts";
import { type Results, Session, type SessionSettings } from "./session.ts";
import type { Query } from "./statement.ts";

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
    try {
      return await this.use((session) => session.run(queries)).catch((error: unknown) => {
        if (this.#isClosed || !isConnectionLost(error)) throw error;
        return this.use((session) => session.run(queries));
      });
    } catch (error) {
      throw fromPostgresError(error);
    }
  }

  /** Uses one connection. What `work` throws is passed on as it is. */
  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw storeClosed();
    this.#inUse += 1;
    try {
      const client = await this.#pool.acquire();
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
