import { setTimeout as pause } from "node:timers/promises";
import { describeThrown, type LiveEvent, type LiveKey, type LiveRelay } from "@reprise/contracts";
import { askSubject, decodeAsk, decodeLive, encodeAsk, encodeLive, subjectOf } from "./live-message.ts";
import type { CoreConnection, CoreSubscription } from "./nats-core.ts";

/** How often a follower says that it is still there. */
const ASK_EVERY_MS = 10_000;

/** How long a run is shown after somebody asked for it. Three times may an ask get lost. */
const SHOWN_FOR_MS = 35_000;

/** So much may be on its way to the server; more is not sent, and followers read it from the store. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

/** After so much the server is asked how far it has read. */
const CHECK_EVERY_BYTES = 64 * 1024;

/** The longest message, where the server does not say. */
const MAX_PAYLOAD = 1_048_576;

/** How long until a server that could not be reached is tried again. */
const CONNECT_AGAIN_MS = 2_000;

interface Followed {
  readonly key: LiveKey;
  readonly listeners: Set<(live: LiveEvent) => void>;
  subscription: CoreSubscription | undefined;
}

export interface NatsRelayOptions {
  readonly prefix: string;
  connect(): Promise<CoreConnection>;
  /** Hears once of each time that the server is away. Readers are served from the store meanwhile. */
  onProblem(message: string): void;
}

/** Events of runs over the core of NATS: nothing is stored, and nothing is sent for runs that nobody follows elsewhere. */
export class NatsRelay implements LiveRelay {
  readonly #options: NatsRelayOptions;
  /** By subject. */
  readonly #followed = new Map<string, Followed>();
  readonly #tails = new Set<(key: LiveKey) => readonly LiveEvent[]>();
  /** Until when each run is shown, by its subject. */
  readonly #wanted = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  readonly #connected = Promise.withResolvers<void>();
  #connection: CoreConnection | undefined;
  /** Sent since the server last said how far it is. */
  #unsent = 0;
  #unchecked = 0;
  #isAway = true;

  constructor(options: NatsRelayOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#renew(), ASK_EVERY_MS);
    this.#timer.unref();
    this.#running = this.#run();
  }

  /** Resolves when the server was first reached. */
  get connected(): Promise<void> {
    return this.#connected.promise;
  }

  serve(tail: (key: LiveKey) => readonly LiveEvent[]): () => void {
    this.#tails.add(tail);
    return () => this.#tails.delete(tail);
  }

  show(tenant: string, live: LiveEvent): void {
    // Most runs are followed by nobody elsewhere: then an event costs this look.
    if (this.#wanted.size === 0) return;
    const subject = subjectOf(this.#options.prefix, { tenant, run_id: live.event.run_id });
    if (this.#wanted.has(subject)) this.#send(subject, encodeLive(live));
  }

  follow(key: LiveKey, listener: (live: LiveEvent) => void): () => void {
    const subject = subjectOf(this.#options.prefix, key);
    const followed = this.#followed.get(subject) ?? { key, listeners: new Set(), subscription: undefined };
    this.#followed.set(subject, followed);
    followed.listeners.add(listener);
    this.#subscribe(subject, followed);
    // Each new follower gets the tail; the others have it already.
    this.#send(askSubject(this.#options.prefix), encodeAsk(key));
    return () => {
      followed.listeners.delete(listener);
      if (followed.listeners.size > 0 || this.#followed.get(subject) !== followed) return;
      this.#followed.delete(subject);
      followed.subscription?.unsubscribe();
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#connection?.close();
    await this.#running;
  }

  /** Keeps a connection. */
  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let isTold = false; !signal.aborted; ) {
      try {
        const connection = await this.#options.connect();
        isTold = false;
        if (signal.aborted) await connection.close();
        else await this.#use(connection);
      } catch (error) {
        if (!isTold) this.#options.onProblem(`Live events do not reach other processes: ${describeThrown(error)}`);
        isTold = true;
      }
      await pause(CONNECT_AGAIN_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  async #use(connection: CoreConnection): Promise<void> {
    this.#connection = connection;
    connection.subscribe(askSubject(this.#options.prefix), {
      callback: (error, message) => {
        const key = error === null ? decodeAsk(message.string()) : undefined;
        if (key !== undefined) this.#answer(key);
      },
    });
    for (const [subject, followed] of this.#followed) this.#subscribe(subject, followed);
    this.#isAway = false;
    this.#unsent = this.#unchecked = 0;
    this.#renew();
    this.#connected.resolve();
    try {
      // Until the connection is closed. It reconnects by itself.
      for await (const { type } of connection.status()) {
        // What is sent to a server that is away would only be kept until it is back, when it is of no use.
        if (type === "disconnect") this.#isAway = true;
        if (type !== "reconnect") continue;
        this.#isAway = false;
        this.#renew();
      }
    } finally {
      this.#isAway = true;
      this.#connection = undefined;
      for (const followed of this.#followed.values()) followed.subscription = undefined;
    }
  }

  #subscribe(subject: string, followed: Followed): void {
    const { key, listeners } = followed;
    followed.subscription ??= this.#connection?.subscribe(subject, {
      callback: (error, message) => {
        const live = error === null ? decodeLive(message.string()) : undefined;
        // Two ids have one hash only by intent; an event of another run is nothing for these readers.
        if (live?.event.run_id !== key.run_id) return;
        for (const listener of listeners) listener(live);
      },
    });
  }

  #answer(key: LiveKey): void {
    const subject = subjectOf(this.#options.prefix, key);
    this.#wanted.set(subject, Date.now() + SHOWN_FOR_MS);
    for (const tail of this.#tails) for (const live of tail(key)) this.#send(subject, encodeLive(live));
  }

  /** Says what is still followed here, and forgets what nobody follows elsewhere. */
  #renew(): void {
    const now = Date.now();
    for (const [subject, until] of this.#wanted) if (until <= now) this.#wanted.delete(subject);
    for (const { key } of this.#followed.values()) this.#send(askSubject(this.#options.prefix), encodeAsk(key));
  }

  #send(subject: string, text: string): void {
    const bytes = Buffer.byteLength(text);
    const connection = this.#connection;
    if (connection === undefined || this.#isAway || this.#unsent + bytes > MAX_UNSENT_BYTES) return;
    if (bytes > (connection.info?.max_payload ?? MAX_PAYLOAD)) return;
    try {
      connection.publish(subject, text);
    } catch {
      // It is closing.
      return;
    }
    this.#unsent += bytes;
    this.#unchecked += bytes;
    if (this.#unchecked >= CHECK_EVERY_BYTES) this.#check(connection);
  }

  /** What the server has answered for it has read. */
  #check(connection: CoreConnection): void {
    const checked = this.#unchecked;
    this.#unchecked = 0;
    const done = (): void => {
      this.#unsent = Math.max(this.#unsent - checked, 0);
    };
    connection.flush().then(done, done);
  }
}
