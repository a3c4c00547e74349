import { RepriseError } from "@reprise/contracts";
import { type ColumnType, encodeArray } from "./binary-array.ts";
import { prepared, type Query, type SqlValue } from "./statement.ts";

/** The columns of a table that are written or asked by, in the order of their values, with their types. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** One row of a table, by the names of its columns. Those that a statement does not name are left out. */
export type Row = Readonly<Record<string, string | number | null>>;

/** Makes a query out of rows: one statement, whatever their number. `more` are further values. */
export type RowsQuery = (rows: readonly Row[], ...more: readonly SqlValue[]) => Query;

/** Inserts rows, in order. `rest` follows the values. */
export function insertInto(table: string, columns: Columns, rest = ""): RowsQuery {
  const names = Object.keys(columns).join(", ");
  return withRows(columns, `insert into ${table} (${names}) select * from ${unnested(columns)} ${rest}`);
}

/** What a row is filed under: the column that has its number, and how that is found when whoever writes does not know it. */
export interface Owner {
  readonly column: string;
  readonly given: Columns;
  readonly number: string;
}

/** Inserts rows that are filed under others, which may be as new as they are. `rest` follows the values. */
export function insertUnder(table: string, owners: readonly Owner[], columns: Columns, rest = ""): RowsQuery {
  const given: Columns = Object.assign({}, ...owners.map((owner) => owner.given), columns);
  const names = [...owners.map(({ column }) => column), ...Object.keys(columns)];
  const values = [...owners.map(({ number }) => number), ...Object.keys(columns).map((name) => `given.${name}`)];
  const from = `${unnested(given)} as given (${Object.keys(given).join(", ")})`;
  return withRows(given, `insert into ${table} (${names.join(", ")}) select ${values.join(", ")} from ${from} ${rest}`);
}

/** Updates rows by their key: the columns that are not of the key are set. */
export function updateRows(
  table: string,
  columns: Columns,
  { key, and = "" }: { readonly key: Columns; readonly and?: string },
): RowsQuery {
  const names = Object.keys(columns);
  const set = names.filter((name) => !Object.hasOwn(key, name)).map((name) => `${name} = given.${name}`);
  const where = Object.keys(key).map((name) => `${table}.${name} = given.${name}`);
  const from = `${unnested(columns)} as given (${names.join(", ")})`;
  return withRows(columns, `update ${table} set ${set.join(", ")} from ${from} where ${where.join(" and ")} ${and}`);
}

/** A query about rows that are described by some of their columns, which it knows as `wanted`. */
export function askFor(columns: Columns, text: (wanted: string) => string): RowsQuery {
  return withRows(columns, text(`${unnested(columns)} as wanted (${Object.keys(columns).join(", ")})`));
}

/** The names of columns of a table, for a select. */
export function columnsOf(table: string, columns: Columns): string {
  return Object.keys(columns)
    .map((name) => `${table}.${name}`)
    .join(", ");
}

function withRows(columns: Columns, text: string): RowsQuery {
  const entries = Object.entries(columns);
  const query = prepared(text);
  return (rows, ...more) => query(...entries.map(([name, type]) => encodeArray(type, pick(rows, name))), ...more);
}

function pick(rows: readonly Row[], name: string): readonly (string | number | null)[] {
  return rows.map((row) => {
    const value = row[name];
    if (value === undefined) throw new RepriseError("INTERNAL", `A row lacks its column ${name}.`);
    return value;
  });
}

function unnested(columns: Columns): string {
  return `unnest(${Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`)})`;
}
