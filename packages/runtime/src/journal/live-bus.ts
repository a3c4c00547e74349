import type { AgentEvent } from "@reprise/contracts";
import { tenantKey } from "../thread/tenant-key.ts";

/** An event on its way to readers, with the epoch that wrote it. */
export interface LiveEvent {
  readonly epoch: number;
  readonly event: AgentEvent;
}

type Listener = (event: LiveEvent) => void;

/**
 * Events of the runs this process works on, as they happen. Nobody waits for a reader: a listener only takes note.
 * Events that are not committed yet are kept until they are, so that who comes in the middle of a step misses nothing;
 * everything else is in the journal.
 */
export class LiveBus {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #tails = new Map<string, LiveEvent[]>();

  /** Passes on an event that is not committed yet. */
  show(tenant: string, live: LiveEvent): void {
    const key = tenantKey(tenant, live.event.run_id);
    const tail = this.#tails.get(key);
    if (tail === undefined) this.#tails.set(key, [live]);
    else tail.push(live);
    this.#pass(key, live);
  }

  /** Passes on an event that is committed. */
  publish(tenant: string, live: LiveEvent): void {
    this.#pass(tenantKey(tenant, live.event.run_id), live);
  }

  /** What was shown of a run is in the journal now, or will never be. */
  forgetTail(tenant: string, runId: string): void {
    this.#tails.delete(tenantKey(tenant, runId));
  }

  /** Listens to a run, beginning with what is not committed yet; returns the way to stop. */
  listen(tenant: string, runId: string, listener: Listener): () => void {
    const key = tenantKey(tenant, runId);
    for (const event of this.#tails.get(key) ?? []) listener(event);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
  }

  #pass(key: string, live: LiveEvent): void {
    for (const listener of this.#listeners.get(key) ?? []) listener(live);
  }
}
