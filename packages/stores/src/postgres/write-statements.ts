import { askFor, type Columns, insertInto, type RowsQuery, updateRows } from "./table.ts";
import {
  CALL,
  CALL_KEY,
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

const SUPERSEDE: Columns = { ...THREAD_KEY, id_hash: "int8", id: "text", superseded_version: "int8" };
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
  insert_entry: insertInto("entries", STORED_ENTRY),
  update_entry: updateRows("entries", CHANGING_ENTRY, { key: ENTRY_KEY }),
  insert_run: insertInto("runs", RUN),
  update_run: updateRows("runs", RUN, { key: RUN_KEY }),
  insert_call: insertInto("calls", CALL),
  update_call: updateRows("calls", CHANGING_CALL, { key: CALL_KEY }),
  insert_decision: insertInto("decisions", DECISION),
  update_decision: updateRows("decisions", CHANGING_DECISION, { key: DECISION_KEY }),
  insert_segment: insertInto("segments", SEGMENT),
  insert_changeset: insertInto("changesets", CHANGESET),
  insert_message: insertInto("messages", MESSAGE),
  supersede: updateRows("messages", SUPERSEDE, {
    key: { ...THREAD_KEY, id_hash: "int8", id: "text" },
    and: "and messages.superseded_version is null",
  }),
  snapshot: insertInto(
    "snapshots",
    SNAPSHOT,
    `on conflict (tenant, thread_id, version)
     do update set format = excluded.format, checksum = excluded.checksum, body = excluded.body`,
  ),
  delete_decisions: deleteByRun("decisions"),
  delete_segments: deleteByRun("segments"),
  delete_calls: deleteByThread("calls"),
  delete_runs: deleteByThread("runs"),
  delete_entries: deleteByThread("entries"),
  delete_messages: deleteByThread("messages"),
  delete_changesets: deleteByThread("changesets"),
  delete_snapshots: deleteByThread("snapshots"),
  delete_thread: deleteByThread("threads"),
  retire_epoch: insertInto(
    "retired_epochs",
    RETIRE,
    "on conflict (tenant, thread_id) do update set epoch = greatest(retired_epochs.epoch, excluded.epoch)",
  ),
};

function deleteByThread(table: string): RowsQuery {
  return askFor(
    THREAD_KEY,
    (wanted) =>
      `delete from ${table} using ${wanted} where ${table}.tenant = wanted.tenant and ${table}.thread_id = wanted.thread_id`,
  );
}

/** For what is filed under runs; to be done while these are still there. */
function deleteByRun(table: string): RowsQuery {
  return askFor(
    THREAD_KEY,
    (wanted) => `delete from ${table} using ${wanted}
      join runs on runs.tenant = wanted.tenant and runs.thread_id = wanted.thread_id
      where ${table}.tenant = runs.tenant and ${table}.run_id = runs.run_id`,
  );
}
