import type { CursoredEvent } from "./encode-frame.ts";

/** How events, or what else a stream has, are written: as they are, or in the words of a protocol. */
export interface FrameEncoding<Item = CursoredEvent> {
  /** The frames of an event, joined; empty when a client gets nothing of it. */
  encode(item: Item): string;
  /** What is left to say when there are no more events. */
  end(): string;
  /** Nothing of what may still come is for this client. */
  readonly isOver: boolean;
}
