import { toMetadataColumns, toThreadColumns } from "../codec/columns/thread-columns.ts";
import type { ThreadRow } from "../kernel/rows.ts";
import type { Write } from "../kernel/write.ts";
import type { Connection } from "./connection.ts";
import { STATEMENTS, type Statement, statement } from "./statement.ts";
import { contentStatements, newThread } from "./write-statements.ts";

/** Statements by the columns of a row. Names come from our own types, never from outside. */
const UPDATES = new Map<string, string>();

/** A table is always updated by the same `where`, with whichever columns changed: few sets of them ever do. */
function updateSet(table: string, columns: object, where: string): string {
  const names = Object.keys(columns);
  const key = `${table} ${names}`;
  const known = UPDATES.get(key);
  if (known !== undefined) return known;
  const sql = `update ${table} set ${names.map((name) => `${name} = :${name}`).join(", ")} where ${where}`;
  UPDATES.set(key, sql);
  return sql;
}

/** The columns that differ from those stored: what is not written touches no index. */
function changedColumns<Columns extends object>(after: Columns, before: Columns | undefined): Partial<Columns> {
  if (before === undefined) return after;
  const changed: Partial<Columns> = {};
  for (const name in after) if (after[name] !== before[name]) changed[name] = after[name];
  return changed;
}

interface FoundThread {
  readonly key: number;
}

/** The thread that a plan is about, as it is stored. */
export interface WrittenThread {
  readonly tenant: string;
  readonly key: number | undefined;
  readonly before: ThreadRow | undefined;
}

/** Executes a plan's writes in order. */
export function executeWrites(connection: Connection, writes: readonly Write[], thread: WrittenThread): void {
  const head = writes.find((write) => write.write === "thread");
  const key = head === undefined ? thread.key : putThread(connection, head.row, thread);
  executeStatements(connection, contentStatements(thread.tenant, writes), key ?? 0);
}

function putThread(connection: Connection, row: ThreadRow, { tenant, key, before }: WrittenThread): number {
  if (before === undefined || key === undefined) {
    return queryStatement(connection, statement("insert_thread", newThread(tenant, row))) ?? 0;
  }
  const changed = changedColumns(toThreadColumns(row), toThreadColumns(before));
  // Metadata that was not replaced is the very object that was read.
  const isSame = row.thread.metadata === before.thread.metadata;
  const columns = isSame ? changed : { ...changed, ...toMetadataColumns(row.thread.metadata) };
  if (Object.keys(columns).length > 0) {
    connection.run(updateSet("threads", columns, "key = :key"), { ...columns, key });
  }
  return key;
}

/** Executes the statement of a head. Returns the number of the thread, undefined when nothing was written. */
export function queryStatement(connection: Connection, { name, values }: Statement): number | undefined {
  return connection.getValues<FoundThread>(STATEMENTS[name].sql, values)?.key;
}

export function executeStatements(connection: Connection, statements: readonly Statement[], threadKey: number): void {
  for (const { name, values } of statements) {
    const { sql, isUnderThread = false } = STATEMENTS[name];
    connection.runValues(sql, isUnderThread ? [threadKey, ...values] : values);
  }
}
