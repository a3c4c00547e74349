import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, linkSync, openSync, statSync, unlinkSync } from "node:fs";

const PRIVATE_FILE = 0o600;
/** The rights of those who are neither the owner nor of the group. */
const STRANGERS = 0o007;

/**
 * Has a database's file, and those that SQLite keeps beside it, closed to strangers. A new one is for its owner alone: SQLite by
 * itself lets everybody read it. Rights of a group stay, since the operator gave them.
 *
 * An existing file is never opened here: closing it would drop the locks that this process holds on it.
 */
export function makePrivate(file: string): void {
  if (!closeToStrangers(file)) createPrivate(file);
  for (const suffix of ["-wal", "-shm", "-journal"]) closeToStrangers(file + suffix);
}

/** Takes rights away, if the file is ours. Answers whether it is there. */
export function closeToStrangers(path: string): boolean {
  try {
    const { mode } = statSync(path);
    if ((mode & STRANGERS) !== 0) chmodSync(path, mode & 0o777 & ~STRANGERS);
    return true;
  } catch (error) {
    // Not ours to change: its owner decided.
    return !(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"));
  }
}

/** Makes it under another name first: under its own it is never open, and never readable for others. */
function createPrivate(file: string): void {
  const made = `${file}.${randomUUID()}`;
  try {
    closeSync(openSync(made, "wx", PRIVATE_FILE));
    linkSync(made, file);
  } catch {
    // Another process was quicker, or the file cannot be made: SQLite says why when it tries.
  }
  try {
    unlinkSync(made);
  } catch {
    // It was not made.
  }
}
