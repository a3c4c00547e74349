import type { CursoredEvent } from "./encode-frame.ts";

/** How events are written: as they are, or in the words of a protocol. */
export interface FrameEncoding {
  /** The frames of an event, joined; empty when a client gets nothing of it. */
  encode(item: CursoredEvent): string;
  /** What is left to say when there are no more events. */
  end(): string;
  /** Nothing of what may still come is for this client. */
  readonly isOver: boolean;
}
