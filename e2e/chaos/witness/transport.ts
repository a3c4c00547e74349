import type { AgentEvent } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { Refusal, WorkerAsk } from "../wire/worker-messages.ts";

/** How a request ended, as far as its sender can know. */
export type Reply = { readonly answer: Json } | { readonly refusal: Refusal } | { readonly isLost: true };

/** The reason a stream closes with when its server says that there is nothing more to read. */
export const NOTHING_MORE = "nothing more";

export interface StreamListener {
  event(event: AgentEvent, cursor: string): void;
  /** No more comes: the stream is over, was refused, or the connection is lost. */
  closed(reason: string): void;
}

export interface StreamRequest {
  readonly run_id: string;
  readonly after: string | undefined;
  /** Whether the stream stays open while the run waits. */
  readonly follow: boolean;
}

/** A request that has one answer. */
export type Asked = Exclude<WorkerAsk, { op: "subscribe" | "unsubscribe" }>;

/** A way to one life of a worker. */
export interface Transport {
  /** False once nothing can be heard through it any more. */
  readonly isOpen: boolean;
  ask(ask: Asked): Promise<Reply>;
  /** Opens a stream of events; returns the way to end it. A stream that is ended so closes without a word. */
  listen(stream: StreamRequest, listener: StreamListener): () => void;
  /** Everything that is under way is lost. */
  close(): void;
}
