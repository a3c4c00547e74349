import type { AgentEvent } from "@reprise/contracts";
import { tenantKey } from "../thread/tenant-key.ts";

/** An event on its way to readers, with the epoch that wrote it. */
export interface LiveEvent {
  readonly epoch: number;
  readonly event: AgentEvent;
}

type Listener = (event: LiveEvent) => void;

/** What a run's owner shows through. Found once for an activation: a token costs no look into a table. */
export interface LiveChannel {
  /** Passes on an event that is not committed yet. */
  show(live: LiveEvent): void;
  /** Passes on an event that is committed. */
  publish(live: LiveEvent): void;
  /** The owner writes what it showed to the store, and will say what came of it. */
  isCommitting: boolean;
  /** What was shown is in the journal now, or will never be. */
  forgetTail(): void;
  /** The owner shows nothing more. */
  close(): void;
}

/**
 * Events of the runs this process works on, as they happen. Nobody waits for a reader: a listener only takes note.
 * Events that are not committed yet are kept until they are, so that who comes in the middle of a step misses nothing;
 * everything else is in the journal.
 */
export class LiveBus {
  readonly #channels = new Map<string, Channel>();

  /** The channel of a run, for its owner; to be closed. */
  open(tenant: string, runId: string): LiveChannel {
    const channel = this.#channel(tenantKey(tenant, runId));
    channel.users += 1;
    return channel;
  }

  /** Passes on an event that is committed. */
  publish(tenant: string, live: LiveEvent): void {
    this.#channels.get(tenantKey(tenant, live.event.run_id))?.publish(live);
  }

  /** Whether a run's owner is here and about to say what it committed. */
  isCommitting(tenant: string, runId: string): boolean {
    return this.#channels.get(tenantKey(tenant, runId))?.isCommitting === true;
  }

  /** Listens to a run, beginning with what is not committed yet; returns the way to stop. */
  listen(tenant: string, runId: string, listener: Listener): () => void {
    const channel = this.#channel(tenantKey(tenant, runId));
    channel.users += 1;
    for (const event of channel.tail) listener(event);
    channel.listeners.push(listener);
    return () => {
      const place = channel.listeners.indexOf(listener);
      if (place < 0) return;
      channel.listeners.splice(place, 1);
      channel.close();
    };
  }

  #channel(key: string): Channel {
    const known = this.#channels.get(key);
    if (known !== undefined) return known;
    const made = new Channel(() => this.#channels.delete(key));
    this.#channels.set(key, made);
    return made;
  }
}

/** One run's way to its readers. There as long as somebody shows or listens. */
class Channel implements LiveChannel {
  readonly listeners: Listener[] = [];
  readonly #onUnused: () => void;
  tail: LiveEvent[] = [];
  isCommitting = false;
  users = 0;

  constructor(onUnused: () => void) {
    this.#onUnused = onUnused;
  }

  show(live: LiveEvent): void {
    this.tail.push(live);
    this.publish(live);
  }

  publish(live: LiveEvent): void {
    // By number: most runs have one reader, and an iterator a token would cost more than it does.
    for (let index = 0; index < this.listeners.length; index += 1) this.listeners[index]?.(live);
  }

  forgetTail(): void {
    if (this.tail.length > 0) this.tail = [];
  }

  close(): void {
    this.users -= 1;
    if (this.users === 0) this.#onUnused();
  }
}
