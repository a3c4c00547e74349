import { askFor, insertInto, type RowsQuery, updateRows } from "./table.ts";
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

const SUPERSEDE = { ...THREAD_KEY, id_hash: "int8", id: "text", superseded_version: "int8" } as const;
const RETIRE = { ...THREAD_KEY, epoch: "int8" } as const;

/**
 * Every write, in the order in which a batch executes them: rows that others may insert too come first, and table by table, so
 * that two batches that wait for each other cannot be; what is deleted comes last and waits for nobody.
 */
export const WRITES = {
  insert_thread: insertInto("threads", { ...THREAD, ...METADATA } as const),
  update_thread: updateRows("threads", THREAD, { key: keysOf(THREAD_KEY) }),
  update_metadata: updateRows("threads", { ...THREAD_KEY, ...METADATA } as const, { key: keysOf(THREAD_KEY) }),
  insert_entry: insertInto("entries", STORED_ENTRY),
  update_entry: updateRows("entries", CHANGING_ENTRY, { key: keysOf(ENTRY_KEY) }),
  insert_run: insertInto("runs", RUN),
  update_run: updateRows("runs", RUN, { key: keysOf(RUN_KEY) }),
  insert_call: insertInto("calls", CALL),
  update_call: updateRows("calls", CHANGING_CALL, { key: keysOf(CALL_KEY) }),
  insert_decision: insertInto("decisions", DECISION),
  update_decision: updateRows("decisions", CHANGING_DECISION, { key: keysOf(DECISION_KEY) }),
  insert_segment: insertInto("segments", SEGMENT),
  insert_changeset: insertInto("changesets", CHANGESET),
  insert_message: insertInto("messages", MESSAGE),
  supersede: updateRows("messages", SUPERSEDE, {
    key: ["tenant", "thread_id", "id_hash", "id"],
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
} as const;

function deleteByThread(table: string): RowsQuery<typeof THREAD_KEY> {
  return askFor(
    THREAD_KEY,
    (wanted) =>
      `delete from ${table} using ${wanted} where ${table}.tenant = wanted.tenant and ${table}.thread_id = wanted.thread_id`,
  );
}

/** For what is filed under runs; to be done while these are still there. */
function deleteByRun(table: string): RowsQuery<typeof THREAD_KEY> {
  return askFor(
    THREAD_KEY,
    (wanted) => `delete from ${table} using ${wanted}
      join runs on runs.tenant = wanted.tenant and runs.thread_id = wanted.thread_id
      where ${table}.tenant = runs.tenant and ${table}.run_id = runs.run_id`,
  );
}

function keysOf<Names extends object>(columns: Names): readonly (keyof Names & string)[] {
  // The keys of an object literal are the keys of its type.
  return Object.keys(columns) as (keyof Names & string)[];
}
