import { toChangingEntryColumns, toEntryColumns } from "../codec/columns/entry-columns.ts";
import { toRunColumns } from "../codec/columns/run-columns.ts";
import { toMetadataColumns, toThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { EntryRow, RunRow, ThreadRow } from "../kernel/rows.ts";
import { changedColumns, insertInto, updateSet } from "./sql-text.ts";
import type { WritePlace } from "./write-place.ts";

/** A row, and whether it is the first with its key. */
interface RowWrite<Row> {
  readonly row: Row;
  readonly is_new: boolean;
}

interface MadeRow {
  readonly key: number;
}

export function putThread(place: WritePlace, { row, is_new }: RowWrite<ThreadRow>): void {
  const { connection, tenant, stored, threadKey: key } = place;
  if (is_new) {
    const columns = { tenant, ...toThreadColumns(row), ...toMetadataColumns(row.thread.metadata) };
    place.threadKey = connection.get<MadeRow>(insertInto("threads", columns, "returning key"), columns)?.key ?? 0;
    return;
  }
  const changed = changedColumns(toThreadColumns(row), stored.thread);
  // Metadata that nobody replaced is the very object that was read.
  const isSame = row.thread.metadata === stored.metadata;
  const columns = isSame ? changed : { ...changed, ...toMetadataColumns(row.thread.metadata) };
  if (Object.keys(columns).length === 0) return;
  connection.run(updateSet("threads", columns, "key = :key"), { ...columns, key });
}

export function putEntry({ connection, tenant, threadKey }: WritePlace, { row, is_new }: RowWrite<EntryRow>): void {
  if (is_new) {
    const columns = { tenant, thread_key: threadKey, ...toEntryColumns(row) };
    connection.run(insertInto("entries", columns), columns);
    return;
  }
  const columns = toChangingEntryColumns(row);
  const sql = updateSet("entries", columns, "tenant = :tenant and entry_id = :entry_id");
  connection.run(sql, { ...columns, tenant, entry_id: escapeText(row.entry.entry_id) });
}

export function putRun(place: WritePlace, { row, is_new }: RowWrite<RunRow>): void {
  const { connection, tenant, threadKey, stored } = place;
  const { run_id } = row.record;
  if (is_new) {
    const columns = { tenant, thread_key: threadKey, ...toRunColumns(row.record) };
    const made = connection.get<MadeRow>(insertInto("runs", columns, "returning key"), columns);
    place.addRun(run_id, made?.key ?? 0);
    return;
  }
  const columns = changedColumns(toRunColumns(row.record), stored.runs.get(run_id));
  if (Object.keys(columns).length === 0) return;
  connection.run(updateSet("runs", columns, "key = :key"), { ...columns, key: place.runKey(run_id) ?? 0 });
}
