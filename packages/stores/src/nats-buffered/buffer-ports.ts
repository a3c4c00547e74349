import type { ThreadRows } from "../kernel/demand.ts";
import type { ThreadRequest } from "../kernel/request.ts";
import type { StoreDriver } from "../shell/driver.ts";
import type { BufferStream } from "./buffer-stream.ts";

/** How much may wait for the database, of one thread. */
export interface BufferBounds {
  readonly maxCommits: number;
  readonly maxBytes: number;
  /** How long the oldest may wait. */
  readonly maxWaitMs: number;
}

/** What a buffer works with. */
export interface BufferPorts {
  /** The database behind it. */
  readonly inner: StoreDriver;
  readonly stream: BufferStream;
  readonly bounds: BufferBounds;
  /** Where the commits of a thread wait. */
  subjectOf(tenant: string, threadId: string): string;
  /** The rows that a commit needs, as they are now, and the store's time. Nothing is locked: the commit has no right to them yet. */
  look(request: ThreadRequest<"commit">): Promise<Glimpse>;
}

export interface Glimpse {
  readonly rows: ThreadRows;
  readonly now: number;
}
