import { DatabaseSync, type StatementSync } from "node:sqlite";
import { SCHEMA_STEPS } from "../../../packages/stores/src/sqlite/schema.ts";
import type { Contestant } from "../contestant.ts";
import type { RecordedStatement, Transaction } from "./record-statements.ts";
import { makeStoreFile } from "./record-tasks.ts";

export const RAW_SQLITE = "raw node:sqlite";

/** The store's statements again, with the same values in the same transactions, by a bare loop on the caller's thread. */
export function rawSqlite(runs: readonly (readonly Transaction[])[]): Contestant {
  return {
    name: RAW_SQLITE,
    note: "the same statements and bytes, one transaction after the other; WAL, synchronous FULL",
    async open() {
      let place = makeStoreFile();
      let loop = new BareLoop(place.file);
      let next = 0;
      const close = (): void => {
        loop.close();
        place.remove();
      };
      return {
        async prepare(count) {
          if (next + count <= runs.length) return;
          close();
          place = makeStoreFile();
          loop = new BareLoop(place.file);
          next = 0;
        },
        async run(onCommit) {
          const transactions = runs[next++];
          if (transactions === undefined) throw new Error("There are no more recorded runs.");
          for (const transaction of transactions) {
            loop.play(transaction);
            onCommit?.();
          }
        },
        countKept: async () => loop.count("changesets"),
        close: async () => close(),
      };
    },
  };
}

/** Compiles every statement once; knows nothing else. */
export class BareLoop {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, { isNew = true }: { readonly isNew?: boolean } = {}) {
    this.#database = new DatabaseSync(file);
    this.#database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory");
    this.#database.exec("pragma cache_size = -32768; pragma wal_autocheckpoint = 4000");
    if (isNew) for (const step of SCHEMA_STEPS) this.#database.exec(step);
  }

  play(statements: readonly RecordedStatement[], onRows: (rows: readonly unknown[]) => void = () => {}): void {
    for (const { kind, sql, values } of statements) {
      const statement = this.#prepare(sql);
      if (kind === "run") statement.run(...values);
      else if (kind === "get") statement.get(...values);
      else onRows(statement.all(...values));
    }
  }

  count(table: string): number {
    return Number(this.#database.prepare(`select count(*) as count from ${table}`).get()?.count);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
