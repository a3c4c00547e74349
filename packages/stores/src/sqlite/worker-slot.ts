import { realpathSync } from "node:fs";
import type * as Sqlite from "node:sqlite";
import { RepriseError } from "@reprise/contracts";
import { DatabaseSync } from "./node-sqlite.ts";
import { makePrivate } from "./private-file.ts";

/**
 * The place of this process among those that work on a file. Slots have numbers from 1, and each is a lock on a file beside the
 * store's, held open: the system ends it with the process, however the process ends. So it is never left behind, and no process id
 * is ever mistaken for another's.
 */
export interface WorkerSlot {
  readonly number: number;
  /** Does what has to be done before the slot is used, once for this process. */
  prepare(work: () => Promise<void>): Promise<void>;
  /** Whether a live process has a slot: this one, or another. */
  isTaken(slot: number): boolean;
  release(): void;
}

interface Holding {
  readonly number: number;
  readonly database: Sqlite.DatabaseSync;
  holders: number;
  prepared: Promise<void> | undefined;
}

/** The slots this process has, by the real path of the store's file: its handles share one. */
const HELD = new Map<string, Holding>();

/** Far more processes than one file serves. */
const MAX_SLOTS = 1_000;

/** Takes the first slot that is free. */
export function holdSlot(file: string): WorkerSlot {
  const path = realpathSync(file);
  const holding = HELD.get(path) ?? hold(path);
  HELD.set(path, holding);
  holding.holders += 1;
  let isHeld = true;
  return {
    number: holding.number,
    prepare: (work) => prepare(holding, work),
    isTaken: (slot) => slot === holding.number || isLocked(path, slot),
    release() {
      if (!isHeld) return;
      isHeld = false;
      holding.holders -= 1;
      if (holding.holders > 0) return;
      HELD.delete(path);
      holding.database.close();
    },
  };
}

/** One of the handles does it and all wait for it; should that one fail, the next that waits tries. */
async function prepare(holding: Holding, work: () => Promise<void>): Promise<void> {
  for (;;) {
    const begun = holding.prepared;
    const own = begun ?? work();
    holding.prepared = own;
    try {
      return await own;
    } catch (error) {
      if (holding.prepared === own) holding.prepared = undefined;
      if (begun === undefined) throw error;
    }
  }
}

function hold(path: string): Holding {
  for (let number = 1; number <= MAX_SLOTS; number += 1) {
    const database = lock(path, number);
    if (database !== undefined) return { number, database, holders: 0, prepared: undefined };
  }
  throw new RepriseError("STORE_OWNED", `Cannot work on ${path}: ${MAX_SLOTS} processes do already.`);
}

function isLocked(path: string, slot: number): boolean {
  if (slot < 1) return false;
  const database = lock(path, slot);
  database?.close();
  return database === undefined;
}

function lock(path: string, slot: number): Sqlite.DatabaseSync | undefined {
  const file = `${path}-worker-${slot}`;
  makePrivate(file);
  const database = new DatabaseSync(file);
  try {
    database.exec("pragma busy_timeout = 0; begin immediate");
    return database;
  } catch {
    database.close();
    return undefined;
  }
}
