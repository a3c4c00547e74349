import type { SQLInputValue } from "node:sqlite";
import { Connection, type SqlParameters } from "../../../packages/stores/src/sqlite/connection.ts";
import { openFile } from "../../../packages/stores/src/sqlite/open-file.ts";
import { writeBatch } from "../../../packages/stores/src/sqlite/writer.ts";
import type { WriterTask } from "../../../packages/stores/src/sqlite/writer-task.ts";
import { makeStoreFile } from "./record-tasks.ts";

/** A statement as it was executed: how it was asked, and its values by their numbers. */
export interface RecordedStatement {
  readonly kind: "run" | "get" | "all";
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** The statements of one transaction, from `begin` to `commit`. */
export type Transaction = readonly RecordedStatement[];

const KINDS = ["run", "get", "all"] as const;

/** Does tasks as the store's writer does, each in a transaction of its own, and keeps the statements of each. */
export function recordStatements(runs: readonly (readonly WriterTask[])[]): readonly (readonly Transaction[])[] {
  const { file, remove } = makeStoreFile();
  const connection = openFile(file, { busyTimeoutMs: 0 });
  connection.exec("pragma synchronous = off");
  try {
    return runs.map((tasks) => tasks.map((task) => watch(() => writeBatch(connection, [{ number: 1, task }], 1))));
  } finally {
    connection.close();
    remove();
  }
}

/** The statements that any connection executes during some work. */
function watch(work: () => unknown): Transaction {
  const { statements, stop } = startWatching();
  try {
    work();
  } finally {
    stop();
  }
  return statements;
}

/** The same for work that takes its time. */
export async function watchReads(work: () => Promise<unknown>): Promise<Transaction> {
  const { statements, stop } = startWatching();
  try {
    await work();
  } finally {
    stop();
  }
  return statements;
}

function startWatching(): { readonly statements: Transaction; stop(): void } {
  const statements: RecordedStatement[] = [];
  const { run, get, all } = Connection.prototype;
  for (const kind of KINDS) {
    const original = { run, get, all }[kind];
    const recording = function (this: Connection, sql: string, parameters: SqlParameters = {}): unknown {
      statements.push({ kind, ...byNumber(sql, parameters) });
      return original.call(this, sql, parameters);
    };
    Object.defineProperty(Connection.prototype, kind, { value: recording, configurable: true, writable: true });
  }
  return { statements, stop: () => Object.assign(Connection.prototype, { run, get, all }) };
}

function byNumber(sql: string, parameters: SqlParameters): Pick<RecordedStatement, "sql" | "values"> {
  const names: string[] = [];
  const text = sql.replace(/:(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  return { sql: text, values: names.map((name) => parameters[name] ?? null) };
}
