import { setTimeout as pause } from "node:timers/promises";
import { RepriseError } from "@reprise/contracts";
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
 * when the process ends, however it ends. A connection that is lost is made anew; whoever took the name meanwhile keeps it, which
 * costs time and nothing else, because it is the epoch of a claim that decides who may write.
 */
export class HeldNames {
  readonly #ports: NamePorts;
  readonly #held = new Map<string, PgClient | undefined>();

  constructor(ports: NamePorts) {
    this.#ports = ports;
  }

  /** Throws `STORE_OWNED` when another process has it. Returns the way to give it up. */
  async enter(owner: string): Promise<() => Promise<void>> {
    if (this.#held.has(owner)) throw owned(owner);
    this.#held.set(owner, undefined);
    try {
      for (let tries = 1; !(await this.#tryHold(owner)); tries += 1) {
        if (tries === TRIES) throw owned(owner);
        await pause(BETWEEN_TRIES_MS);
      }
    } catch (error) {
      this.#held.delete(owner);
      throw fromPostgresError(error);
    }
    let hasLeft = false;
    return async () => {
      if (hasLeft) return;
      hasLeft = true;
      await this.#leave(owner);
    };
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
    // Nobody else may keep the process alive until it has said goodbye.
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

function owned(owner: string): RepriseError {
  const message = `Cannot claim as ${owner}: another process with this instance id is alive. Give each its own.`;
  return new RepriseError("STORE_OWNED", message, { details: { owner } });
}
