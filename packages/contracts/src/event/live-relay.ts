import type { AgentEvent } from "./event.ts";

/** An event on its way to readers, with the epoch that wrote it. */
export interface LiveEvent {
  readonly epoch: number;
  readonly event: AgentEvent;
}

/** Which run of which tenant. */
export interface LiveKey {
  readonly tenant: string;
  readonly run_id: string;
}

/**
 * Carries events of runs to readers in other processes while they happen, before they are committed.
 *
 * - It may lose, delay, repeat and reorder: a reader takes an event only when it follows what it has, and reads everything else
 *   from the store. So nothing depends on it but how soon a reader sees an event.
 * - No method throws or waits, and none holds more than a bounded number of events.
 */
export interface LiveRelay {
  /**
   * Answers those who begin to follow a run of this process: `tail` gives the events that were shown and are not committed. Returns
   * the way to stop.
   */
  serve(tail: (key: LiveKey) => readonly LiveEvent[]): () => void;
  /** From the owner of a run: to whoever follows it in other processes. */
  show(tenant: string, live: LiveEvent): void;
  /** Hears a run of other processes. Returns the way to stop. */
  follow(key: LiveKey, listener: (live: LiveEvent) => void): () => void;
}
