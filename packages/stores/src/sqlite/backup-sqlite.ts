import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { invalidRequest, RepriseError } from "@reprise/contracts";
import { backup, DatabaseSync } from "./node-sqlite.ts";
import { makePrivate } from "./private-file.ts";
import { fromSqliteError } from "./sqlite-errors.ts";

/** A copy that was made. */
export interface SqliteBackup {
  readonly file: string;
  readonly bytes: number;
}

/** All pages in one step: a write between two steps would restart the copy, and a busy store would never be copied. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a store to a new file, also while processes work on it: the copy has everything that was acknowledged when it was begun,
 * and nothing that came later. No caller waits for it. The copy is checked before it gets its name.
 */
export async function backupSqlite(file: string, target: string): Promise<SqliteBackup> {
  if (existsSync(target)) throw invalidRequest(`Cannot back up to ${target}: there is a file already.`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    const source = new DatabaseSync(file, { readOnly: true });
    try {
      makePrivate(partial);
      await backup(source, partial, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
    finish(partial);
    renameSync(partial, target);
    syncFolder(dirname(target));
    return { file: target, bytes: statSync(target).size };
  } catch (error) {
    throw fromSqliteError(error);
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(partial + suffix, { force: true });
  }
}

/** Makes the name of a file durable. Windows does that with the file. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Checks a copy, and makes it one file: without a log beside it. */
function finish(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    copy.exec("pragma synchronous = full; pragma journal_mode = delete");
    const found = copy.prepare("pragma quick_check").get()?.quick_check;
    if (found !== "ok") throw new RepriseError("CORRUPT_DATA", `The copy is damaged: ${found}.`);
  } finally {
    copy.close();
  }
}
