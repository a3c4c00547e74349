import type { Client } from "@reprise/client";
import type { AgentEvent } from "@reprise/contracts";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { Observable } from "./observable.ts";
import { useClient } from "./provider.ts";
import { addToTimeline, EMPTY_TIMELINE, type Timeline } from "./timeline.ts";

export interface UseRunTimeline extends Timeline {
  /** Why the events could not be read. */
  readonly error?: string;
}

class TimelineStore extends Observable<UseRunTimeline> {
  readonly #client: Client;
  readonly #runId: string;
  /** Kept so that what was withdrawn can be taken back. */
  #events: AgentEvent[] = [];

  constructor(client: Client, runId: string) {
    super(EMPTY_TIMELINE);
    this.#client = client;
    this.#runId = runId;
  }

  open(): () => void {
    const stop = new AbortController();
    this.#events = [];
    this.update(() => EMPTY_TIMELINE);
    void this.#read(stop.signal);
    return () => stop.abort();
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      for await (const { event } of this.#client.events(this.#runId, { follow: true, signal })) {
        if (signal.aborted) return;
        if (event.run_id === this.#runId) this.#take(event);
      }
    } catch (error) {
      if (!signal.aborted)
        this.update((view) => ({ ...view, error: error instanceof Error ? error.message : String(error) }));
    }
  }

  #take(event: AgentEvent): void {
    if (event.type === "stream_reset") {
      const { from_seq } = event.data;
      this.#events = this.#events.filter(({ seq = 0 }) => seq <= from_seq);
      this.update(() => this.#events.reduce(addToTimeline, EMPTY_TIMELINE));
      return;
    }
    this.#events.push(event);
    const next = addToTimeline(this.get(), event);
    if (next !== this.get()) this.update(() => next);
  }
}

/** What a run did and does, as rows over time: steps, model calls, tools and waits, with tokens and cost. */
export function useRunTimeline(runId: string): UseRunTimeline {
  const client = useClient();
  const store = useMemo(() => new TimelineStore(client, runId), [client, runId]);
  useEffect(() => store.open(), [store]);
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}
