import { realpathSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** The right of this process to claim work on a file. */
export interface DispatcherLock {
  /** Whether the process got it just now: then every claim in the file is one of a process that is gone. */
  readonly isNew: boolean;
  /** The names under which handles of this process claim, and who has each. */
  readonly names: Map<string, object>;
  unlock(): void;
}

interface Holding {
  readonly database: DatabaseSync;
  readonly names: Map<string, object>;
  holders: number;
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
  return { isNew: known === undefined, names: holding.names, unlock };
}

function hold(path: string): Holding | undefined {
  const database = new DatabaseSync(`${path}-dispatcher`);
  try {
    database.exec("pragma busy_timeout = 0; begin immediate");
  } catch {
    database.close();
    return undefined;
  }
  const holding = { database, names: new Map<string, object>(), holders: 0 };
  HELD.set(path, holding);
  return holding;
}
