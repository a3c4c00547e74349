import type { Json } from "@reprise/state";
import { type MetadataColumns, type ThreadColumns, threadOf } from "../codec/columns/thread-columns.ts";
import { openChangeset, openStoredMessage } from "../codec/open-changeset.ts";
import { PRUNED, parseText, readText, type StoredText } from "../codec/stored-text.ts";
import type { History, HistoryBase } from "../kernel/demand.ts";
import type { Connection } from "./connection.ts";
import { selectChangesets } from "./select-changesets.ts";
import { selectUpTo } from "./select-messages.ts";

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
  const { key, pruned_version } = columns;
  const last = Number.isSafeInteger(upTo) ? Math.min(Math.max(upTo, 0), columns.version) : 0;
  const range = { after: pruned_version, limit: Math.max(last - pruned_version, 0) };
  const changesets = selectChangesets(connection, { key, thread_id: threadId }, range);
  const isThere = pruned_version > 0 && last >= pruned_version;
  return {
    thread: threadOf(columns),
    pruned_version,
    base: isThere ? readBase(connection, key, pruned_version) : null,
    changesets: changesets.map(openChangeset),
  };
}

/** What is left of the versions up to the one where history was cut. */
function readBase(connection: Connection, key: number, version: number): HistoryBase {
  const sql = "select format, checksum, body from snapshots where thread_key = :key and version = :version";
  const text = readText("snapshot", connection.get<StoredText>(sql, { key, version }) ?? PRUNED);
  const messages = selectUpTo(connection, key, version);
  return {
    // Written by `saveSnapshot` or by pruning.
    state: parseText("snapshot", text) as Json,
    messages: messages.map(openStoredMessage),
    supersedes: messages
      .filter(({ superseded_version }) => (superseded_version ?? version + 1) <= version)
      .map(({ id }) => id),
  };
}
