import { RepriseError } from "@reprise/contracts";
import { type ColumnType, encodeArray, toSigned } from "./binary-array.ts";
import { prepared, type Query, type SqlValue } from "./statement.ts";

/** The columns of a table that are written or asked by, in the order of their values, with their types. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** One row of a table, by the names of its columns. Those that a statement does not name are left out. */
export type Row = Readonly<Record<string, string | number | null>>;

/** Makes a query out of rows: one statement, whatever their number. `more` are further values. */
export type RowsQuery = (rows: readonly Row[], ...more: readonly SqlValue[]) => Query;

/** A query about rows that are described by some of their columns, which it knows as `wanted`. */
export function askFor(columns: Columns, text: (wanted: string) => string): RowsQuery {
  const query = prepared(text(givenRows("wanted", columns)));
  return (rows, ...more) => query(...encodeRows(columns, rows), ...more);
}

/**
 * Rows that are given as arrays, one a column, the first of them the parameter `from`. Postgres would unnest each array into a
 * store of its own, which costs it more than the writes.
 */
export function givenRows(name: string, columns: Columns, from = 1): string {
  const [[first = "", type = "int4"] = [], ...others] = Object.entries(columns);
  const cells = others.map(([column, other], index) => `($${from + 1 + index}::${other}[])[i::int4] as ${column}`);
  return `(select ${[first, ...cells].join(", ")}
    from unnest($${from}::${type}[]) with ordinality as first (${first}, i)) as ${name}`;
}

/** One row that is given as values. */
export function givenRow(name: string, columns: Columns, from = 1): string {
  const cells = Object.entries(columns).map(([column, type], index) => `$${from + index}::${type} as ${column}`);
  return `(select ${cells.join(", ")}) as ${name}`;
}

/** The values that `givenRow` takes; without a row all of them are null. */
export function encodeRow(columns: Columns, row: Row | undefined): readonly SqlValue[] {
  return Object.entries(columns).map(([name, type]) => {
    const value = row === undefined ? null : cellOf(row, name);
    return type === "int4" && typeof value === "number" ? toSigned(value) : value;
  });
}

/** The arrays that `givenRows` takes. */
export function encodeRows(columns: Columns, rows: readonly Row[]): readonly Uint8Array[] {
  return Object.entries(columns).map(([name, type]) =>
    encodeArray(
      type,
      rows.map((row) => cellOf(row, name)),
    ),
  );
}

function cellOf(row: Row, name: string): string | number | null {
  const value = row[name];
  if (value === undefined) throw new RepriseError("INTERNAL", `A row lacks its column ${name}.`);
  return value;
}

/** The names of columns of a table, for a select. */
export function columnsOf(table: string, columns: Columns): string {
  return Object.keys(columns)
    .map((name) => `${table}.${name}`)
    .join(", ");
}

/**
 * Rows of a table for each row beside it, apart: joined, an index might be read by a part of the condition only, or through as a
 * whole, by a plan that was made when there was nothing in it.
 */
export function eachOf(table: string, condition: string): string {
  return `cross join lateral (select * from ${table} where ${condition} offset 0) as ${table}`;
}

/** The number of a thread, of a row that has its tenant and id. */
export function threadNumber(row: string): string {
  return `(select key from threads where threads.tenant = ${row}.tenant and threads.thread_id = ${row}.thread_id)`;
}

/** The number of the thread with the tenant $1 and the id $2. */
export const THREAD_NUMBER = "(select key from threads where threads.tenant = $1 and threads.thread_id = $2)";

/** In milliseconds. */
export const NOW = "floor(extract(epoch from clock_timestamp()) * 1000)::float8";
