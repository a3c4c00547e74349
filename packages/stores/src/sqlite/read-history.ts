import { type MetadataColumns, type ThreadColumns, threadOf } from "../codec/columns/thread-columns.ts";
import { openChangeset } from "../codec/open-changeset.ts";
import type { History } from "../kernel/demand.ts";
import type { Connection } from "./connection.ts";
import { selectChangesets } from "./select-changesets.ts";

/** A thread up to a version, for its fork. */
export function readHistory(
  connection: Connection,
  tenant: string,
  threadId: string,
  upTo: number,
): History | undefined {
  const columns = connection.get<ThreadColumns & MetadataColumns & { readonly key: number }>(
    "select * from threads where tenant = :tenant and thread_id = :thread_id",
    { tenant, thread_id: threadId },
  );
  if (columns === undefined) return undefined;
  const limit = Number.isSafeInteger(upTo) ? Math.min(Math.max(upTo, 0), columns.version) : 0;
  const changesets = selectChangesets(connection, { key: columns.key, thread_id: threadId }, { after: 0, limit });
  return { thread: threadOf(columns), changesets: changesets.map(openChangeset) };
}
