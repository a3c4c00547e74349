import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { RepriseError } from "@reprise/contracts";
import { fromSqliteError } from "./sqlite-errors.ts";

/** A row as SQLite gives it. */
export type SqlRow = Readonly<Record<string, string | number | null>>;

/** Values by the names a statement has for them. Those it does not name are left out. */
export type SqlParameters = Readonly<Record<string, SQLInputValue>>;

interface Compiled {
  readonly statement: StatementSync;
  readonly names: readonly string[];
}

/**
 * A connection that compiles each statement once. Statements name their parameters, `:thread_id`; SQLite gets them by number,
 * which is what it is quick at.
 */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Compiled>();

  constructor(file: string, options: { readonly readOnly?: boolean } = {}) {
    this.#database = guarded(() => new DatabaseSync(file, { readOnly: options.readOnly ?? false }));
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

  get<Row = SqlRow>(sql: string, parameters: SqlParameters = {}): Row | undefined {
    return guarded(() => {
      const { statement, names } = this.#compile(sql);
      // The statement says which columns it has; whoever wrote it says so in the type.
      return statement.get(...bind(names, parameters)) as Row | undefined;
    });
  }

  all<Row = SqlRow>(sql: string, parameters: SqlParameters = {}): readonly Row[] {
    return guarded(() => {
      const { statement, names } = this.#compile(sql);
      // As above.
      return statement.all(...bind(names, parameters)) as Row[];
    });
  }

  /** How SQLite would go about a statement, for the tests that guard the indexes. */
  explain(sql: string): readonly string[] {
    const { text, names } = numberParameters(sql);
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
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const { text, names } = numberParameters(sql);
    const compiled = { statement: this.#database.prepare(text), names };
    this.#statements.set(sql, compiled);
    return compiled;
  }
}

/** Nobody above ever sees an error of SQLite's own. */
function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fromSqliteError(error);
  }
}

function numberParameters(sql: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  const text = sql.replace(/:(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
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
