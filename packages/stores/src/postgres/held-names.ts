import { setTimeout as pause } from "node:timers/promises";
import type { NameHold } from "../shell/worker-rows.ts";
import type { PgClient } from "./pg-driver.ts";
import { fromPostgresError } from "./postgres-errors.ts";
import { rowsOf, Session, type SessionSettings } from "./session.ts";
import { composed } from "./statement.ts";

/** What holding a name takes. */
export interface NamePorts {
  /** A connection of its own, not yet connected. */
  createClient(): PgClient;
  readonly settings: SessionSettings;
}

/** A server may take a moment to notice that the process which had a name is gone. */
const TRIES = 20;
const BETWEEN_TRIES_MS = 100;

/** How often a name whose connection was lost is asked for again. */
const AGAIN_MS = 1_000;

/**
 * The names this process claims under. Each is an advisory lock on a connection that does nothing else: the server gives it up
 * when the process ends, however it ends. A lost connection is replaced; a process that took the name meanwhile keeps it, which
 * costs time and nothing else, because it is the epoch of a claim that decides who may write.
 */
export class HeldNames {
  readonly #ports: NamePorts;
  readonly #held = new Map<string, PgClient | undefined>();

  constructor(ports: NamePorts) {
    this.#ports = ports;
  }

  /** Takes hold of a name, or says that another process has it; then it is asked for again and again until it is left. */
  async hold(owner: string): Promise<NameHold> {
    // Another store of this process has the name and must release it too.
    if (this.#held.has(owner)) return { isOurs: false, leave: async () => undefined };
    this.#held.set(owner, undefined);
    const isOurs = await this.#holdSoon(owner).catch((error: unknown) => {
      this.#held.delete(owner);
      throw fromPostgresError(error);
    });
    if (!isOurs) this.#holdAgain(owner);
    let hasLeft = false;
    const leave = async (): Promise<void> => {
      if (hasLeft) return;
      hasLeft = true;
      await this.#leave(owner);
    };
    return { isOurs, leave };
  }

  async #holdSoon(owner: string): Promise<boolean> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      if (await this.#tryHold(owner)) return true;
      await pause(BETWEEN_TRIES_MS);
    }
    return false;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((owner) => this.#leave(owner)));
  }

  async #tryHold(owner: string): Promise<boolean> {
    const client = this.#ports.createClient();
    client.on("error", () => this.#lose(owner, client));
    try {
      await client.connect();
      const session = await Session.begin(client, this.#ports.settings);
      const name = `reprise ${this.#ports.settings.schema} ${owner}`;
      const lock = composed("select pg_try_advisory_lock(hashtextextended($1, 0)) as held", [name]);
      const [found] = rowsOf<{ readonly held: boolean }>(await session.run([KEEP_ALIVE, lock]), 1);
      if (found?.held === true && this.#held.has(owner)) {
        client.unref();
        this.#held.set(owner, client);
        return true;
      }
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    await client.end().catch(() => undefined);
    return false;
  }

  #lose(owner: string, client: PgClient): void {
    if (this.#held.get(owner) !== client) return;
    this.#held.set(owner, undefined);
    this.#holdAgain(owner);
  }

  #holdAgain(owner: string): void {
    const timer = setTimeout(async () => {
      if (!this.#held.has(owner)) return;
      const isHeld = await this.#tryHold(owner).catch(() => false);
      if (!isHeld) this.#holdAgain(owner);
    }, AGAIN_MS);
    timer.unref();
  }

  async #leave(owner: string): Promise<void> {
    const client = this.#held.get(owner);
    this.#held.delete(owner);
    // The connection must not keep the process alive while it says goodbye.
    client?.ref();
    await client?.end().catch(() => undefined);
  }
}

/** A host that went without a word is noticed in seconds, not in hours. Means nothing on a local socket. */
const KEEP_ALIVE = composed(
  `select set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
     set_config('tcp_keepalives_count', '3', false)`,
  [],
);
