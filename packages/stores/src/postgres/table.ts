import { type ColumnType, encodeArray } from "./binary-array.ts";
import { prepared, type Query, type SqlValue } from "./statement.ts";

/** The columns of a table that are written, in the order of their values, with their types. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** One row of a table, by the names of its columns. */
export type RowOf<Names extends Columns> = { readonly [Name in keyof Names]: string | number | null };

/** Makes queries out of rows: one statement, whatever the number of rows. */
export type RowsQuery<Names extends Columns> = (rows: readonly RowOf<Names>[]) => Query;

/** Inserts rows, in order. `rest` follows the values. */
export function insertInto<Names extends Columns>(table: string, columns: Names, rest = ""): RowsQuery<Names> {
  const names = Object.keys(columns).join(", ");
  return withRows(columns, `insert into ${table} (${names}) select * from ${unnested(columns)} ${rest}`);
}

/** Updates rows by their key: the columns that are not of the key are set. */
export function updateRows<Names extends Columns>(
  table: string,
  columns: Names,
  { key, and = "" }: { readonly key: readonly (keyof Names & string)[]; readonly and?: string },
): RowsQuery<Names> {
  const names = Object.keys(columns);
  const set = names.filter((name) => !key.includes(name)).map((name) => `${name} = given.${name}`);
  const where = key.map((name) => `${table}.${name} = given.${name}`).join(" and ");
  const from = `${unnested(columns)} as given (${names.join(", ")})`;
  return withRows(columns, `update ${table} set ${set.join(", ")} from ${from} where ${where} ${and}`);
}

/** A query about rows that are described by some of their columns, which it knows as `wanted`; `more` are further values. */
export function askFor<Names extends Columns>(
  columns: Names,
  text: (wanted: string) => string,
): (rows: readonly RowOf<Names>[], ...more: readonly SqlValue[]) => Query {
  return withRows(columns, text(`${unnested(columns)} as wanted (${Object.keys(columns).join(", ")})`));
}

/** The names of columns of a table, for a select. */
export function columnsOf(table: string, columns: Columns): string {
  return Object.keys(columns)
    .map((name) => `${table}.${name}`)
    .join(", ");
}

function withRows<Names extends Columns>(
  columns: Names,
  text: string,
): (rows: readonly RowOf<Names>[], ...more: readonly SqlValue[]) => Query {
  const entries: readonly (readonly [keyof Names & string, ColumnType])[] = Object.entries(columns);
  const query = prepared(text);
  return (rows, ...more) =>
    query(
      ...entries.map(([name, type]) =>
        encodeArray(
          type,
          rows.map((row) => row[name]),
        ),
      ),
      ...more,
    );
}

function unnested(columns: Columns): string {
  return `unnest(${Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`)})`;
}
