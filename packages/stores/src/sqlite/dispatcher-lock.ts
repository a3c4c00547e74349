import { realpathSync } from "node:fs";
import type * as Sqlite from "node:sqlite";
import { DatabaseSync } from "./node-sqlite.ts";
import { makePrivate } from "./private-file.ts";

/** The right of this process to claim work on a file. */
export interface DispatcherLock {
  /**
   * Has the claims of processes that are gone released, once for this process and before any of its handles claims: afterwards one
   * could not tell theirs from those.
   */
  prepare(release: () => Promise<void>): Promise<void>;
  /** The names under which handles of this process claim, and who has each. */
  readonly names: Map<string, object>;
  unlock(): void;
}

interface Holding {
  readonly database: Sqlite.DatabaseSync;
  readonly names: Map<string, object>;
  holders: number;
  prepared: Promise<void> | undefined;
}

/** The locks this process holds, by the real path of the store's file: handles of one process share it. */
const HELD = new Map<string, Holding>();

/**
 * Makes this process the one that claims work on a file. The lock is a transaction on a file beside it, held open: the system
 * ends it with the process, however the process ends, so it is never left behind and no process id is ever mistaken for
 * another's. Returns undefined when another process has it.
 */
export function lockDispatcher(file: string): DispatcherLock | undefined {
  const path = realpathSync(file);
  const known = HELD.get(path);
  const holding = known ?? hold(path);
  if (holding === undefined) return undefined;
  holding.holders += 1;
  let isHeld = true;
  const unlock = (): void => {
    if (!isHeld) return;
    isHeld = false;
    holding.holders -= 1;
    if (holding.holders > 0) return;
    HELD.delete(path);
    holding.database.close();
  };
  return { prepare: (release) => prepare(holding, release), names: holding.names, unlock };
}

/** One of the handles does it and all wait for it; should that one fail, the next that waits tries. */
async function prepare(holding: Holding, release: () => Promise<void>): Promise<void> {
  for (;;) {
    const begun = holding.prepared;
    const work = begun ?? release();
    holding.prepared = work;
    try {
      return await work;
    } catch (error) {
      if (holding.prepared === work) holding.prepared = undefined;
      if (begun === undefined) throw error;
    }
  }
}

function hold(path: string): Holding | undefined {
  const lockFile = `${path}-dispatcher`;
  makePrivate(lockFile);
  const database = new DatabaseSync(lockFile);
  try {
    database.exec("pragma busy_timeout = 0; begin immediate");
  } catch {
    database.close();
    return undefined;
  }
  const holding = { database, names: new Map<string, object>(), holders: 0, prepared: undefined };
  HELD.set(path, holding);
  return holding;
}
