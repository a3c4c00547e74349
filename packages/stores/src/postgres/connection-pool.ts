import type { PgClient } from "./pg-driver.ts";

export interface PoolSettings {
  readonly max: number;
  readonly idleTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

interface Waiting {
  resolve(client: PgClient): void;
  reject(error: unknown): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Connections, made on demand and closed when they were idle for a while. An idle connection does not keep the process alive.
 * The most recently used one is used next, so that surplus connections become idle.
 */
export class ConnectionPool {
  readonly #create: () => PgClient;
  readonly #settings: PoolSettings;
  readonly #resting = new Map<PgClient, NodeJS.Timeout>();
  readonly #waiting: Waiting[] = [];
  #count = 0;

  constructor(create: () => PgClient, settings: PoolSettings) {
    this.#create = create;
    this.#settings = settings;
  }

  /** A connection that no other process uses until it is given back. */
  async acquire(): Promise<PgClient> {
    const client = [...this.#resting.keys()].at(-1);
    if (client !== undefined) {
      clearTimeout(this.#resting.get(client));
      this.#resting.delete(client);
      client.ref();
      return client;
    }
    return this.#count < this.#settings.max ? this.#connect() : this.#wait();
  }

  release(client: PgClient, isLost: boolean): void {
    if (isLost) return this.#drop(client);
    const next = this.#waiting.shift();
    if (next !== undefined) {
      clearTimeout(next.timer);
      return next.resolve(client);
    }
    const timer = setTimeout(() => this.#drop(client), this.#settings.idleTimeoutMs);
    timer.unref();
    client.unref();
    this.#resting.set(client, timer);
  }

  /** Closes idle connections. The caller ensures that none is in use. */
  async close(): Promise<void> {
    const clients = [...this.#resting.keys()];
    for (const timer of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
    this.#count -= clients.length;
    await Promise.all(clients.map(end));
  }

  async #connect(): Promise<PgClient> {
    this.#count += 1;
    const client = this.#create();
    // A connection in use reports its end to its user; an idle one is dropped.
    client.on("error", () => {
      if (this.#resting.has(client)) this.#drop(client);
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      void end(client);
      this.#leave();
      throw error;
    }
  }

  #wait(): Promise<PgClient> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        resolve,
        reject,
        timer: setTimeout(() => {
          this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
          reject(new Error("Timeout: no connection became free."));
        }, this.#settings.connectTimeoutMs),
      };
      this.#waiting.push(waiting);
    });
  }

  #drop(client: PgClient): void {
    clearTimeout(this.#resting.get(client));
    this.#resting.delete(client);
    void end(client);
    this.#leave();
  }

  /** A slot became free: the next waiter gets a new connection. */
  #leave(): void {
    this.#count -= 1;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    clearTimeout(next.timer);
    this.#connect().then(next.resolve, next.reject);
  }
}

async function end(client: PgClient): Promise<void> {
  client.ref();
  await client.end().catch(() => undefined);
}
