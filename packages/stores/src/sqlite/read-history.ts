import type { Json } from "@reprise/state";
import { type MetadataColumns, type ThreadColumns, threadOf } from "../codec/columns/thread-columns.ts";
import { sealChangeset } from "../codec/seal-changeset.ts";
import { damaged, parseText, readText, type StoredText } from "../codec/stored-text.ts";
import type { History, HistoryBase } from "../kernel/demand.ts";
import { isSuperseded } from "../shell/message-page.ts";
import type { Connection } from "./connection.ts";
import { type ReadThread, selectCommits, selectMessages } from "./select-commits.ts";

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
  const { pruned_version } = columns;
  const last = Number.isSafeInteger(upTo) ? Math.min(Math.max(upTo, 0), columns.version) : 0;
  const range = { after: pruned_version, limit: Math.max(last - pruned_version, 0) };
  const isThere = pruned_version > 0 && last >= pruned_version;
  return {
    thread: threadOf(columns),
    pruned_version,
    base: isThere ? readBase(connection, columns, pruned_version) : null,
    changesets: selectCommits(connection, columns, range).map((row) => row.open()),
    blob_refs: connection
      .all<{ readonly ref: string }>("select ref from blob_refs where thread_key = :key", { key: columns.key })
      .map(({ ref }) => ref),
    seal: sealChangeset,
  };
}

/** What is left of the versions up to the one where history was cut. */
function readBase(connection: Connection, thread: ReadThread, version: number): HistoryBase {
  const { key } = thread;
  const sql = "select format, checksum, body from snapshots where thread_key = :key and version = :version";
  const stored = connection.get<StoredText>(sql, { key, version });
  if (stored === undefined) throw damaged("snapshot");
  const end = connection.get<{ readonly next: number }>(
    `select first_position + message_count as next from commits
     where thread_key = :key and version = :version order by part desc limit 1`,
    { key, version },
  );
  const selection = { first: 0, last: (end?.next ?? 0) - 1, order: "asc", only_shown: false } as const;
  const { rows, superseded } = selectMessages(connection, thread, selection);
  const messages = rows.flatMap((row) => row.open());
  const before = superseded.filter((range) => range.version <= version);
  return {
    // Written by `saveSnapshot` or by pruning.
    state: parseText("snapshot", readText("snapshot", stored)) as Json,
    messages,
    supersedes: messages.filter((_, position) => isSuperseded(before, position)).map(({ id }) => id),
  };
}
