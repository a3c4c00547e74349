import { join } from "node:path";
import type * as Sqlite from "node:sqlite";
import { RepriseError } from "@reprise/contracts";
import { DatabaseSync } from "../../sqlite/node-sqlite.ts";
import { makePrivate } from "../../sqlite/private-file.ts";
import { fromSqliteError } from "../../sqlite/sqlite-errors.ts";

/** The primary result codes of SQLite that say that another process has the lock. */
const HELD: readonly number[] = [5, 6];

export const LOCK_FILE = "lock";

/**
 * Makes this process the owner of a folder, or throws `STORE_OWNED`. Node has no locks on files, but SQLite has: the lock is a
 * transaction that stays open. The system ends it with the process, however the process ends, so it is never left behind and no
 * process id is ever mistaken for another's. Returns the way to give it up.
 *
 * This process must not open the lock's file in another way: closing it would release the lock.
 */
export function lockFolder(folder: string): () => void {
  const database = openLock(join(folder, LOCK_FILE));
  try {
    database.exec("pragma busy_timeout = 0; begin immediate");
    database.exec("create table if not exists owner (one integer primary key, pid integer not null)");
    database.prepare("insert or replace into owner (one, pid) values (1, ?)").run(process.pid);
    // Committed, so that others can read it; the process that gets the lock between the two lines has it.
    database.exec("commit; begin immediate");
  } catch (error) {
    const pid = isHeld(error) ? readOwner(database) : undefined;
    database.close();
    throw pid === undefined ? fromSqliteError(error) : owned(folder, pid);
  }
  return () => database.close();
}

function openLock(file: string): Sqlite.DatabaseSync {
  makePrivate(file);
  try {
    return new DatabaseSync(file);
  } catch (error) {
    throw fromSqliteError(error);
  }
}

function isHeld(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  return HELD.includes(error.errcode % 256);
}

/** Null when the owner has only just become it. */
function readOwner(database: Sqlite.DatabaseSync): number | null {
  try {
    const pid = database.prepare("select pid from owner").get()?.pid;
    return typeof pid === "number" ? pid : null;
  } catch {
    return null;
  }
}

function owned(folder: string, pid: number | null): RepriseError {
  const message = `Cannot open the store in ${folder}: process ${pid ?? "unknown"} has it.`;
  return new RepriseError("STORE_OWNED", message, { details: { owner_pid: pid } });
}
