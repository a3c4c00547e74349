import type { StoreSignal } from "@reprise/contracts";
import type { PgClient } from "./pg-driver.ts";
import { Session, type SessionSettings } from "./session.ts";
import { decodeSignals } from "./signal-codec.ts";
import { composed } from "./statement.ts";
import type { ThreadPoll } from "./thread-poll.ts";

/** What hearing of other processes takes. */
export interface ReceiverPorts {
  /** A connection of its own, not yet connected. */
  createClient(): PgClient;
  readonly settings: SessionSettings;
  readonly channel: string;
  readonly writer: string;
  createPoll(): ThreadPoll;
  tell(signals: readonly StoreSignal[]): void;
  /** How often to poll while there are no notifications. */
  readonly pollMs: number;
}

/** How often to ask a silent connection whether it is still there: one that is cut without a word never says so. */
const CHECK_MS = 15_000;

/**
 * Hears what other processes wrote, by a connection that listens. While there is none it looks by itself and tries to connect
 * again. After every connect, the first one too, it looks once more, for what was written before it listened. Keeps no process
 * alive.
 */
export class SignalReceiver {
  readonly #ports: ReceiverPorts;
  #client: PgClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  /** Set while a notification may have been missed. */
  #poll: ThreadPoll | undefined;
  #isOn = false;

  constructor(ports: ReceiverPorts) {
    this.#ports = ports;
  }

  /** Whether notifications arrive; otherwise the receiver polls. */
  get isListening(): boolean {
    return this.#client !== undefined;
  }

  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    // A watcher may have polled already, and nothing is heard until the connection listens.
    this.#poll = this.#ports.createPoll();
    this.#turn(0);
  }

  /** Resolves when the connection is closed. */
  async stop(): Promise<void> {
    this.#isOn = false;
    clearTimeout(this.#timer);
    await this.#working;
    const client = this.#client;
    this.#client = undefined;
    // The connection must not keep the process alive while it says goodbye.
    client?.ref();
    await client?.end().catch(() => undefined);
  }

  #turn(afterMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isOn) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#work().finally(() => {
        this.#working = undefined;
        this.#turn(this.#poll === undefined ? CHECK_MS : this.#ports.pollMs);
      });
    }, afterMs);
    this.#timer.unref();
  }

  async #work(): Promise<void> {
    if (this.#client === undefined) await this.#connect();
    const client = this.#client;
    const poll = this.#poll;
    if (poll === undefined) return client === undefined ? undefined : this.#check(client);
    const hasLooked = await poll.look().then(
      (signals) => {
        this.#ports.tell(signals);
        return true;
      },
      () => false,
    );
    // A connection that was lost meanwhile has left a poll of its own.
    if (client !== undefined && hasLooked && this.#poll === poll) this.#poll = undefined;
  }

  /** Leaves things as they are when there is no connection to be had. */
  async #connect(): Promise<void> {
    const client = this.#ports.createClient();
    let isLost = false;
    client.on("error", () => {
      isLost = true;
      this.#lose(client);
    });
    client.on("notification", ({ payload }) => {
      this.#ports.tell(decodeSignals(this.#ports.writer, payload ?? ""));
    });
    try {
      await client.connect();
      const session = await Session.begin(client, this.#ports.settings);
      await session.run([composed(`listen "${this.#ports.channel}"`, [])]);
      client.unref();
    } catch {
      isLost = true;
    }
    // The end of a connection may come together with its last answer, before anybody knows that it listens.
    if (isLost) await client.end().catch(() => undefined);
    else this.#client = client;
  }

  async #check(client: PgClient): Promise<void> {
    try {
      const session = await Session.begin(client, this.#ports.settings);
      await session.run([composed("select 1", [])]);
    } catch {
      this.#lose(client);
    }
  }

  #lose(client: PgClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    // From here on there are no notifications: later polls are compared with the threads as they are now.
    this.#poll = this.#ports.createPoll();
    client.end().catch(() => undefined);
    if (this.#working === undefined) this.#turn(0);
  }
}
