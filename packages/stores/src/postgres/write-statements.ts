import { RUN_OWNER, THREAD_OWNER, threadNumber } from "./owners.ts";
import { askFor, type Columns, insertInto, insertUnder, type RowsQuery, updateRows } from "./table.ts";
import {
  CALL,
  CHANGESET,
  CHANGING_CALL,
  CHANGING_DECISION,
  CHANGING_ENTRY,
  DECISION,
  DECISION_KEY,
  ENTRY_KEY,
  MESSAGE,
  METADATA,
  RUN,
  RUN_KEY,
  SEGMENT,
  SNAPSHOT,
  STORED_ENTRY,
  THREAD,
  THREAD_KEY,
} from "./tables.ts";

const SUPERSEDE: Columns = { ...THREAD_KEY, id_hash: "int4", id: "text", superseded_version: "int4" };
const CUT: Columns = { ...THREAD_KEY, up_to: "int8" };
const RETIRE: Columns = { ...THREAD_KEY, epoch: "int8" };

/** What can be written. */
export type WriteKind =
  | "insert_thread"
  | "update_thread"
  | "update_metadata"
  | "insert_entry"
  | "update_entry"
  | "insert_run"
  | "update_run"
  | "insert_call"
  | "update_call"
  | "insert_decision"
  | "update_decision"
  | "insert_segment"
  | "insert_changeset"
  | "insert_message"
  | "supersede"
  | "snapshot"
  | "prune_segments"
  | "prune_changesets"
  | "prune_snapshots"
  | "forget_entry"
  | "delete_decisions"
  | "delete_segments"
  | "delete_calls"
  | "delete_runs"
  | "delete_entries"
  | "delete_messages"
  | "delete_changesets"
  | "delete_snapshots"
  | "delete_thread"
  | "retire_epoch";

/**
 * Every write, in the order in which a batch executes them: rows that others may insert too come first, and table by table, so
 * that two batches that wait for each other cannot be; what is deleted comes last and waits for nobody.
 */
export const WRITES: Readonly<Record<WriteKind, RowsQuery>> = {
  insert_thread: insertInto("threads", { ...THREAD, ...METADATA }),
  update_thread: updateRows("threads", THREAD, { key: THREAD_KEY }),
  update_metadata: updateRows("threads", { ...THREAD_KEY, ...METADATA }, { key: THREAD_KEY }),
  insert_entry: insertUnder("entries", [THREAD_OWNER], STORED_ENTRY),
  update_entry: updateRows("entries", CHANGING_ENTRY, { key: ENTRY_KEY }),
  insert_run: insertUnder("runs", [THREAD_OWNER], RUN),
  update_run: updateRows("runs", RUN, { key: RUN_KEY }),
  insert_call: insertUnder("calls", [THREAD_OWNER, RUN_OWNER], CALL),
  update_call: updateRows("calls", CHANGING_CALL, { key: { run_key: "int8", call_id: "text" } }),
  insert_decision: insertInto("decisions", DECISION),
  update_decision: updateRows("decisions", CHANGING_DECISION, { key: DECISION_KEY }),
  insert_segment: insertUnder("segments", [RUN_OWNER], SEGMENT),
  insert_changeset: insertUnder("changesets", [THREAD_OWNER, RUN_OWNER], CHANGESET),
  insert_message: insertUnder("messages", [THREAD_OWNER], MESSAGE),
  supersede: askFor(
    SUPERSEDE,
    (wanted) => `update messages set superseded_version = wanted.superseded_version from ${wanted}
      where (messages.thread_key + 0) = ${threadNumber("wanted")} and messages.id_hash = wanted.id_hash
        and messages.id = wanted.id and messages.superseded_version is null`,
  ),
  snapshot: insertUnder(
    "snapshots",
    [THREAD_OWNER],
    SNAPSHOT,
    `on conflict (thread_key, version)
     do update set format = excluded.format, checksum = excluded.checksum, body = excluded.body`,
  ),
  prune_segments: askFor(
    CUT,
    (wanted) => `delete from segments using ${wanted}
      join runs on runs.thread_key = ${threadNumber("wanted")}
      where segments.run_key = runs.key and segments.version <= wanted.up_to`,
  ),
  prune_changesets: askFor(
    { ...CUT, format: "int2", checksum: "int4", body: "text" },
    (wanted) => `update changesets set segments = null, format = wanted.format, checksum = wanted.checksum,
        body = wanted.body, patches_checksum = wanted.checksum, patches = wanted.body
      from ${wanted} where changesets.thread_key = ${threadNumber("wanted")}
        and changesets.version <= wanted.up_to and changesets.format <> wanted.format`,
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
  delete_decisions: deleteByRun("decisions", "decisions.tenant = runs.tenant and decisions.run_id = runs.run_id"),
  delete_segments: deleteByRun("segments", "segments.run_key = runs.key"),
  delete_calls: deleteByThread("calls"),
  delete_runs: deleteByThread("runs"),
  delete_entries: deleteByThread("entries", "(entries.thread_key + 0)"),
  delete_messages: deleteByThread("messages"),
  delete_changesets: deleteByThread("changesets"),
  delete_snapshots: deleteByThread("snapshots"),
  delete_thread: askFor(
    THREAD_KEY,
    (wanted) => `delete from threads using ${wanted}
      where threads.tenant = wanted.tenant and threads.thread_id = wanted.thread_id`,
  ),
  retire_epoch: insertInto(
    "retired_epochs",
    RETIRE,
    "on conflict (tenant, thread_id) do update set epoch = greatest(retired_epochs.epoch, excluded.epoch)",
  ),
};

function deleteByThread(table: string, column = `${table}.thread_key`): RowsQuery {
  return askFor(
    THREAD_KEY,
    (wanted) => `delete from ${table} using ${wanted} where ${column} = ${threadNumber("wanted")}`,
  );
}

/** For what is filed under runs; to be done while these are still there. */
function deleteByRun(table: string, isOfRun: string): RowsQuery {
  return askFor(
    THREAD_KEY,
    (wanted) => `delete from ${table} using ${wanted}
      join runs on runs.thread_key = ${threadNumber("wanted")} where ${isOfRun}`,
  );
}
