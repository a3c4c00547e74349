import type { Tables } from "../tables/tables.ts";
import type { ThreadTables } from "../tables/thread-tables.ts";

/** Finds a thread that is there. */
export type FindThread = (tenant: string, threadId: string) => ThereThread | undefined;

/** A thread with its row. */
export type ThereThread = ThreadTables & { readonly row: NonNullable<ThreadTables["row"]> };

export function isThere(thread: ThreadTables | undefined): thread is ThereThread {
  return thread?.row !== undefined;
}

/** Where reads look: the tables, and the way to a thread. Both throw when the store is closed. */
export interface ReadPorts {
  readonly tables: Tables;
  readonly findThread: FindThread;
}
