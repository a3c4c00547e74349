import type { AgentEvent } from "@reprise/contracts";
import { encodeSseFrame } from "../sse/sse-frame.ts";
import { type A2aEncodingOptions, type A2aState, ask, encodeA2aEvent, INITIAL_A2A_STATE } from "./encode-event.ts";
import type { A2aStreamItem } from "./wire.ts";

export interface A2aEncoderOptions extends A2aEncodingOptions {
  /** Puts an item into what the binding sends: JSON-RPC wraps each in a response. As it is, unless given. */
  readonly wrap?: (item: A2aStreamItem) => unknown;
}

/** Writes one run as a stream of a task. */
export interface A2aEncoder {
  /** The frames of an event, joined; empty when a client gets nothing of it. The cursor is the id of the last one. */
  encode(event: AgentEvent, cursor?: string): string;
  /** Takes in an event that the client already has. */
  skip(event: AgentEvent): void;
  /** A frame for an item that is no event of the run. */
  frame(item: A2aStreamItem): string;
  /** The questions of runs below that the stream ends for. */
  end(): string;
  readonly state: A2aState;
}

export function createA2aEncoder({ wrap = (item) => item, ...options }: A2aEncoderOptions = {}): A2aEncoder {
  let current = INITIAL_A2A_STATE;
  let lastTimeMs = 0;
  const frame = (item: A2aStreamItem, cursor?: string): string => encodeSseFrame(JSON.stringify(wrap(item)), cursor);
  return {
    encode(event, cursor) {
      lastTimeMs = event.timestamp_ms;
      const [next, items] = encodeA2aEvent(current, event, options);
      current = next;
      const last = items.length - 1;
      // A client that comes back in the middle of an event gets all of its items again.
      return items.map((item, index) => frame(item, index === last ? cursor : undefined)).join("");
    },
    skip(event) {
      lastTimeMs = event.timestamp_ms;
      [current] = encodeA2aEvent(current, event, options);
    },
    frame: (item) => frame(item),
    end() {
      const [next, items] = ask(current, lastTimeMs);
      current = next;
      return items.map((item) => frame(item)).join("");
    },
    get state() {
      return current;
    },
  };
}
