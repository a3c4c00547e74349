import type { Durability } from "@reprise/contracts";
import type { Database } from "./database.ts";
import { rowsOf } from "./session.ts";
import { composed } from "./statement.ts";

interface Settings {
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
}

/**
 * What the server really promises. Without a flush before the answer, or with pages that may be torn, a power cut can take what
 * was acknowledged; a crash of our process cannot.
 */
export async function readDurability(database: Database): Promise<Durability> {
  const text = `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit`;
  const [settings] = rowsOf<Settings>(await database.read([composed(text, [])]));
  const isFlushed =
    settings?.fsync === "on" && settings.full_page_writes === "on" && settings.synchronous_commit !== "off";
  return isFlushed ? "power-loss" : "process-crash";
}
