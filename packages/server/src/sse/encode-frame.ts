import { type AgentEvent, encodeEvent } from "@reprise/contracts";
import { encodeSseFrame } from "@reprise/protocols";

/** An event and the cursor at which a reader continues after it. */
export interface CursoredEvent {
  readonly event: AgentEvent;
  readonly cursor: string;
}

/** How long a client waits before it comes back, in milliseconds. */
const RETRY_MS = 1_000;

/** What every stream begins with. It also gets the headers through proxies that wait for a body. */
export const OPENING: string = `retry: ${RETRY_MS}\n\n`;

/** A comment: keeps connections open that would be closed for being silent. */
export const HEARTBEAT = ":\n\n";

/**
 * One event as a frame. A withdrawal has an id too, that of the last event it leaves: a reader that is cut off right after it comes
 * back with that one. With the id of an event that was withdrawn it would miss the tail should the tail be committed after all.
 */
export function encodeFrame({ event, cursor }: CursoredEvent): string {
  return encodeSseFrame(encodeEvent(event), cursor);
}
