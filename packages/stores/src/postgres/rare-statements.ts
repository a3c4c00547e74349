import { askFor, type Columns, type RowsQuery, threadNumber } from "./table.ts";
import { ENTRY_KEY, METADATA, SNAPSHOT, THREAD_KEY } from "./tables.ts";

const CUT: Columns = { ...THREAD_KEY, up_to: "int8" };

export type RareKind =
  | "metadata"
  | "snapshot"
  | "prune_commits"
  | "prune_snapshots"
  | "forget_entry"
  | "delete_commits"
  | "delete_ids"
  | "delete_superseded"
  | "delete_blob_refs"
  | "delete_suspended"
  | "delete_decisions"
  | "delete_runs"
  | "delete_entries"
  | "delete_snapshots"
  | "delete_thread"
  | "retire_epoch";

/**
 * What is seldom written, in the order in which a batch does it, after everything else: all batches go through the tables in the same
 * order, and what is deleted waits for no other process.
 */
export const RARE: Readonly<Record<RareKind, RowsQuery>> = {
  metadata: askFor(
    { ...THREAD_KEY, ...METADATA },
    (wanted) => `update threads set format = wanted.format, checksum = wanted.checksum, metadata = wanted.metadata
      from ${wanted} where threads.tenant = wanted.tenant and threads.thread_id = wanted.thread_id`,
  ),
  snapshot: askFor(
    { ...THREAD_KEY, ...SNAPSHOT },
    (wanted) => `insert into snapshots (thread_key, version, format, checksum, body)
      select threads.key, wanted.version, wanted.format, wanted.checksum, wanted.body from ${wanted}
      join threads on threads.tenant = wanted.tenant and threads.thread_id = wanted.thread_id
      on conflict (thread_key, version)
      do update set format = excluded.format, checksum = excluded.checksum, body = excluded.body`,
  ),
  prune_commits: askFor(
    CUT,
    (wanted) => `update commits set patches = '', events = '', rest = '' from ${wanted}
      where commits.thread_key = ${threadNumber("wanted")} and commits.version <= wanted.up_to and commits.patches <> ''`,
  ),
  prune_snapshots: askFor(
    CUT,
    (wanted) => `delete from snapshots using ${wanted} where snapshots.thread_key = ${threadNumber("wanted")}
      and snapshots.version < wanted.up_to`,
  ),
  forget_entry: askFor(
    ENTRY_KEY,
    (wanted) => `delete from entries using ${wanted}
      where entries.tenant = wanted.tenant and entries.entry_id = wanted.entry_id`,
  ),
  delete_commits: deleteByThread("commits"),
  delete_ids: deleteByThread("thread_ids"),
  delete_superseded: deleteByThread("superseded"),
  delete_blob_refs: deleteByThread("blob_refs"),
  delete_suspended: deleteByThread("suspended_calls"),
  delete_decisions: deleteByThread("decisions"),
  delete_runs: deleteByThread("run_records"),
  delete_entries: deleteByThread("entries", "(entries.thread_key + 0)"),
  delete_snapshots: deleteByThread("snapshots"),
  delete_thread: askFor(
    THREAD_KEY,
    (wanted) => `delete from threads using ${wanted}
      where threads.tenant = wanted.tenant and threads.thread_id = wanted.thread_id`,
  ),
  retire_epoch: askFor(
    { ...THREAD_KEY, epoch: "int8" },
    (wanted) => `insert into retired_epochs (tenant, thread_id, epoch) select * from ${wanted}
      on conflict (tenant, thread_id) do update set epoch = greatest(retired_epochs.epoch, excluded.epoch)`,
  ),
};

/** Of everything a deleted thread has, in the order of deletion. */
export const DELETIONS: readonly RareKind[] = [
  "delete_commits",
  "delete_ids",
  "delete_superseded",
  "delete_blob_refs",
  "delete_suspended",
  "delete_decisions",
  "delete_runs",
  "delete_entries",
  "delete_snapshots",
  "delete_thread",
];

function deleteByThread(table: string, column = `${table}.thread_key`): RowsQuery {
  return askFor(
    THREAD_KEY,
    (wanted) => `delete from ${table} using ${wanted} where ${column} = ${threadNumber("wanted")}`,
  );
}
