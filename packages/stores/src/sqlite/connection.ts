import type * as Sqlite from "node:sqlite";
import type { SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { RepriseError } from "@reprise/contracts";
import { DatabaseSync } from "./node-sqlite.ts";
import { fromSqliteError } from "./sqlite-errors.ts";

/** A row as SQLite gives it. */
export type SqlRow = Readonly<Record<string, string | number | null>>;

/** Values by the names a statement has for them. Those it does not name are left out. */
export type SqlParameters = Readonly<Record<string, SQLInputValue>>;

interface Compiled {
  readonly statement: StatementSync;
  readonly names: readonly string[];
  readonly columns: readonly string[];
}

/**
 * A connection that compiles each statement once. Statements name their parameters, `:thread_id`; SQLite gets them in order,
 * which is what it is quick at. Rows come as lists and are made into objects here: those that `node:sqlite` makes are slow to make
 * and slow to read.
 */
export class Connection {
  readonly #database: Sqlite.DatabaseSync;
  readonly #statements = new Map<string, Compiled>();
  readonly #before: () => void;

  /** `before` is called before each statement, and may throw. */
  constructor(file: string, options: { readonly readOnly?: boolean; readonly before?: () => void } = {}) {
    this.#database = guarded(() => new DatabaseSync(file, { readOnly: options.readOnly ?? false }));
    this.#before = options.before ?? (() => undefined);
  }

  /** For what needs no compiling ahead: several statements at once, or one that is used once. */
  exec(sql: string): void {
    guarded(() => this.#database.exec(sql));
  }

  run(sql: string, parameters: SqlParameters = {}): void {
    guarded(() => {
      const { statement, names } = this.#compile(sql);
      statement.run(...bind(names, parameters));
    });
  }

  /** For a statement whose parameters are `?`: values in their order. */
  runValues(sql: string, values: readonly SQLInputValue[]): void {
    guarded(() => void this.#compile(sql).statement.run(...values));
  }

  getValues<Row = SqlRow>(sql: string, values: readonly SQLInputValue[]): Row | undefined {
    return guarded(() => {
      const { statement, columns } = this.#compile(sql);
      // A statement that returns lists, which the types of Node do not know.
      const found = statement.get(...values) as unknown as RowValues | undefined;
      return found === undefined ? undefined : toRow<Row>(columns, found);
    });
  }

  get<Row = SqlRow>(sql: string, parameters: SqlParameters = {}): Row | undefined {
    return guarded(() => {
      const { statement, names, columns } = this.#compile(sql);
      // A statement that returns lists, which the types of Node do not know.
      const values = statement.get(...bind(names, parameters)) as unknown as RowValues | undefined;
      return values === undefined ? undefined : toRow<Row>(columns, values);
    });
  }

  all<Row = SqlRow>(sql: string, parameters: SqlParameters = {}): readonly Row[] {
    return guarded(() => {
      const { statement, names, columns } = this.#compile(sql);
      // As above.
      const rows = statement.all(...bind(names, parameters)) as unknown as readonly RowValues[];
      return rows.map((values) => toRow<Row>(columns, values));
    });
  }

  /** How SQLite would go about a statement, for the tests that guard the indexes. */
  explain(sql: string): readonly string[] {
    const { text, names } = placeParameters(sql);
    const rows = this.#database.prepare(`explain query plan ${text}`).all(...names.map(() => null));
    return rows.map(({ detail }) => String(detail));
  }

  /** Every statement that was used so far. */
  get statements(): readonly string[] {
    return [...this.#statements.keys()];
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #compile(sql: string): Compiled {
    this.#before();
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const { text, names } = placeParameters(sql);
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    const compiled = { statement, names, columns: statement.columns().map(({ name }) => name) };
    this.#statements.set(sql, compiled);
    return compiled;
  }
}

type RowValues = readonly SQLOutputValue[];

/** Of two columns of one name the later one counts. */
function toRow<Row>(columns: readonly string[], values: RowValues): Row {
  const row: Record<string, SQLOutputValue> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ""] = values[index] ?? null;
  // The author of the statement states its columns in the type.
  return row as Row;
}

/** Callers never see an error of SQLite itself. */
function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fromSqliteError(error);
  }
}

/** By their order, one for each time they are named: Node 22 takes `?1` for a name and does not find it. */
function placeParameters(sql: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  // SQLite looks at the value of a bare limit when it plans, and so compiles the statement again whenever one is bound.
  const text = sql.replace(/\blimit (:\w+)/g, "limit ($1 + 0)").replace(/:(\w+)/g, (_, name: string) => {
    names.push(name);
    return "?";
  });
  return { text, names };
}

function bind(names: readonly string[], parameters: SqlParameters): SQLInputValue[] {
  return names.map((name) => {
    const value = parameters[name];
    if (value === undefined) throw new RepriseError("INTERNAL", `A statement lacks its parameter ${name}.`);
    return value;
  });
}
