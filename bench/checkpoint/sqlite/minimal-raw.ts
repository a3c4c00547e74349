import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { Contestant } from "../contestant.ts";
import type { MinimalRows } from "../measure/cold-load.ts";
import { makeStoreFile } from "./store-file.ts";

export const MINIMAL_SQLITE = "minimal raw, node:sqlite";
export const MINIMAL_SQLITE_EVENTS = "minimal raw with events, node:sqlite";

/** The floor: a commit is one insert of its payload in a transaction of its own, on the caller's thread. */
export function minimalSqlite(payloads: readonly string[], name: string = MINIMAL_SQLITE): Contestant {
  return {
    name,
    note: "one prepared insert of the payload a commit, a transaction each, one after the other; WAL, synchronous FULL",
    async open() {
      const { file, remove } = makeStoreFile();
      const database = openMinimal(file);
      const insert = database.prepare(INSERT);
      return {
        async run(onCommit) {
          const thread = randomUUID();
          for (const [index, payload] of payloads.entries()) {
            insert.run(thread, index + 1, payload);
            onCommit?.();
          }
        },
        countKept: async () => Number(database.prepare("select count(*) as count from commits").get()?.count),
        async close() {
          database.close();
          remove();
        },
      };
    },
  };
}

const INSERT = "insert into commits (thread, version, payload) values (?, ?, ?)";

/** Texts as rows of the same table, a row each, to be read again. */
export function minimalSqliteRows(texts: readonly string[]): MinimalRows {
  const { file, remove } = makeStoreFile();
  const database = openMinimal(file);
  const insert = database.prepare(INSERT);
  database.exec("begin");
  for (const [index, text] of texts.entries()) insert.run("thread", index + 1, text);
  database.exec("commit");
  const select = database.prepare("select payload from commits order by id");
  return {
    read: async () => select.all().map(({ payload }) => String(payload)),
    async close() {
      database.close();
      remove();
    },
  };
}

function openMinimal(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal; pragma synchronous = full");
  database.exec(
    "create table commits (id integer primary key, thread text not null, version integer not null, payload text not null)",
  );
  return database;
}
