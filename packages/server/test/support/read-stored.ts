import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A value of any column as an owner of the database sees it: bytes as characters of one byte each. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const linesOf = (rows: readonly object[]): string =>
  rows.map((row) => Object.values(row).map(textOf).join(" ")).join("\n");

/** The bytes of each file beside a database and of itself, by how its name ends. */
export function readFiles(file: string): ReadonlyMap<string, string> {
  const folder = dirname(file);
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

/** Every column of every row of a SQLite file, whole also where its pages are not beside each other. */
export function readSqlite(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    return tables.map(({ name }) => linesOf(database.prepare(`select * from "${name}"`).all())).join("\n");
  } finally {
    database.close();
  }
}

/** Every column of every row of a schema in a Postgres database. */
export async function readPostgres(
  sql: (text: string, schema: string) => Promise<readonly object[]>,
  schema: string,
): Promise<string> {
  const tables = await sql(
    `select table_name as name from information_schema.tables where table_schema = '${schema}'`,
    schema,
  );
  const texts: string[] = [];
  for (const [name] of tables.map((row) => Object.values(row))) {
    texts.push(linesOf(await sql(`select * from "${schema}"."${name}"`, schema)));
  }
  return texts.join("\n");
}
