import type { JetStreamClient, JetStreamManager, NatsConnection, StreamInfo, StreamMessage } from "./nats-client.ts";
import { fromNatsError, isMoved, isStreamMissing } from "./nats-errors.ts";
import { assertKeeps, configOf, type StreamSettings } from "./stream-config.ts";

/** After a missing answer the stream is left alone for this long, so that commits do not wait each time. */
const REST_MS = 2_000;

interface StreamParts {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly settings: StreamSettings;
}

/**
 * A JetStream stream with a subject for each thread. Any request may fail at any time: its caller has another way,
 * or says that the store is not available.
 */
export class BufferStream {
  readonly #parts: StreamParts;
  readonly #asked = new Set<Promise<unknown>>();
  readonly #waiting = new Set<(error: Error) => void>();
  #isConnected = true;
  #restsUntil = 0;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#follow().catch(() => undefined);
  }

  /** Whether it is worth a try. */
  get isUp(): boolean {
    return this.#isConnected && performance.now() >= this.#restsUntil;
  }

  /** The longest message it takes. It comes back in another form, which is a third longer. */
  get maxBytes(): number {
    return Math.floor((this.#parts.connection.info?.max_payload ?? 1_048_576) / 2);
  }

  /** Makes the stream when it is not there. Refuses one that would forget what it was given. */
  async ensure(): Promise<StreamInfo> {
    const { manager, settings } = this.#parts;
    const wanted = configOf(settings);
    const info = await this.#ask(async () => {
      try {
        return await manager.streams.info(settings.name);
      } catch (error) {
        if (isStreamMissing(error)) return manager.streams.add(wanted);
        throw error;
      }
    });
    assertKeeps(info.config, wanted);
    return info;
  }

  /** Appends a message to a subject, whatever is in it, and returns its place. */
  async append(subject: string, payload: Uint8Array): Promise<number> {
    return this.#publish(subject, payload, {});
  }

  /** The same, only if the subject's last message is at this place; otherwise nothing happens. */
  async appendAfter(subject: string, payload: Uint8Array, last: number): Promise<number | "moved"> {
    try {
      return await this.#publish(subject, payload, { lastSubjectSequence: last });
    } catch (error) {
      if (isMoved(error)) return "moved";
      throw error;
    }
  }

  async #publish(
    subject: string,
    payload: Uint8Array,
    expect: { readonly lastSubjectSequence?: number },
  ): Promise<number> {
    const { client, settings } = this.#parts;
    try {
      const options = { timeout: settings.timeoutMs, expect };
      return (await this.#ask(() => client.publish(subject, payload, options))).seq;
    } catch (error) {
      // Another process may have taken the stream away.
      if (!isMoved(error)) this.ensure().catch(() => undefined);
      throw error;
    }
  }

  /** The messages of a subject before a place, in order. */
  async read(subject: string, before: number): Promise<readonly StreamMessage[]> {
    const { manager, settings } = this.#parts;
    const found: StreamMessage[] = [];
    for (let seq = 1; seq < before; ) {
      const query = { seq, next_by_subj: subject };
      const message = await this.#ask(() => manager.streams.getMessage(settings.name, query));
      if (message === null || message.seq >= before) break;
      found.push(message);
      seq = message.seq + 1;
    }
    return found;
  }

  /** The last message of a subject. */
  last(subject: string): Promise<StreamMessage | null> {
    const { manager, settings } = this.#parts;
    return this.#ask(() => manager.streams.getMessage(settings.name, { last_by_subj: subject }));
  }

  /**
   * Forgets the messages of a subject before a place, some time. What comes later is never touched. No caller waits for it, and
   * when it does not happen, the next reader finds that the rest is already in the database.
   */
  trim(subject: string, before: number): void {
    if (!this.isUp) return;
    const { manager, settings } = this.#parts;
    this.#ask(() => manager.streams.purge(settings.name, { filter: subject, seq: before })).catch(() => undefined);
  }

  /** The subjects below a prefix that have messages. */
  async subjects(prefix: string): Promise<readonly string[]> {
    const { manager, settings } = this.#parts;
    const info = await this.#ask(() => manager.streams.info(settings.name, { subjects_filter: `${prefix}.>` }));
    return Object.keys(info.state.subjects ?? {});
  }

  /** Waits for what was asked for, then closes the connection. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asked);
    await this.#parts.connection.close().catch(() => undefined);
  }

  /** Asks the server. An answer is not waited for when the connection is lost: it would not come. */
  async #ask<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (!this.#isConnected) throw fromNatsError(new Error("the connection is lost"));
    const { promise: lost, reject } = Promise.withResolvers<never>();
    this.#waiting.add(reject);
    const asked = Promise.race([work(), lost]);
    this.#asked.add(asked);
    try {
      return await asked;
    } catch (error) {
      if (!isMoved(error)) this.#restsUntil = performance.now() + REST_MS;
      throw isMoved(error) ? error : fromNatsError(error);
    } finally {
      this.#waiting.delete(reject);
      this.#asked.delete(asked);
    }
  }

  /** Until the connection is closed. */
  async #follow(): Promise<void> {
    for await (const { type } of this.#parts.connection.status()) {
      if (type === "reconnect") {
        this.#isConnected = true;
        this.#restsUntil = 0;
        // It may have come back without what it had.
        this.ensure().catch(() => undefined);
      }
      if (type === "disconnect" || type === "close") {
        this.#isConnected = false;
        for (const reject of this.#waiting) reject(new Error("the connection was lost"));
      }
    }
  }
}
