import { type AgentEvent, parseCursor } from "@reprise/contracts";

/** The events a reader of one run has. It cuts its list where it continues from, and where it is told to. */
export class StreamView {
  #events: AgentEvent[];

  constructor(events: readonly AgentEvent[] = []) {
    this.#events = [...events];
  }

  get events(): readonly AgentEvent[] {
    return this.#events;
  }

  /** Continues after a cursor, or begins anew. Returns what is wrong, if something is. */
  open(after: string | undefined): string | undefined {
    const seq = after === undefined ? 0 : parseCursor(after)?.seq;
    if (seq === undefined) return `${after} is no cursor.`;
    this.#events.length = Math.min(seq, this.#events.length);
    return undefined;
  }

  take(event: AgentEvent): string | undefined {
    const { length } = this.#events;
    if (event.type === "stream_reset") {
      const { from_seq } = event.data;
      if (from_seq > length)
        return `Event ${from_seq} was said to be the last that counts, and only ${length} were seen.`;
      this.#events.length = from_seq;
      return undefined;
    }
    if (event.seq !== length + 1) return `Event ${event.seq} came after event ${length}.`;
    this.#events.push(event);
    return undefined;
  }
}
