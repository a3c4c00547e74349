import { realpathSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

interface Holding {
  readonly database: DatabaseSync;
  holders: number;
}

/** The locks this process holds, by the real path of the store's file: handles of one process share it. */
const HELD = new Map<string, Holding>();

/**
 * Makes this process the one that claims work on a file. The lock is a transaction on a file beside it, held open: the system
 * ends it with the process, however the process ends, so it is never left behind and no process id is ever mistaken for
 * another's. Returns the way to give it up, or undefined when another process has it.
 */
export function lockDispatcher(file: string): (() => void) | undefined {
  const path = realpathSync(file);
  const holding = HELD.get(path) ?? hold(path);
  if (holding === undefined) return undefined;
  holding.holders += 1;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    holding.holders -= 1;
    if (holding.holders > 0) return;
    HELD.delete(path);
    holding.database.close();
  };
}

function hold(path: string): Holding | undefined {
  const database = new DatabaseSync(`${path}-dispatcher`);
  try {
    database.exec("pragma busy_timeout = 0; begin immediate");
  } catch {
    database.close();
    return undefined;
  }
  const holding = { database, holders: 0 };
  HELD.set(path, holding);
  return holding;
}
