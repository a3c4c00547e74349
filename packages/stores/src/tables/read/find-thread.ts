import type { Tables } from "../tables.ts";
import type { ThreadTables } from "../thread-tables.ts";

/** A thread with its row. */
export type ThereThread = ThreadTables & { readonly row: NonNullable<ThreadTables["row"]> };

export function isThere(thread: ThreadTables | undefined): thread is ThereThread {
  return thread?.row !== undefined;
}

/** Where reads look: the tables, and the way to a thread that is there. Both throw when the store is closed. */
export interface ReadPorts {
  readonly tables: Tables;
  findThread(tenant: string, threadId: string): ThereThread | undefined;
}
