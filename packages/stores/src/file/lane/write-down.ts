import type { Write } from "../../kernel/write.ts";
import type { Step } from "../../tables/step.ts";
import { fromJson, toJson } from "../../tables/stored-json.ts";
import { takeSteps } from "../../tables/take-steps.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";
import { encodeLine } from "../log/log-line.ts";
import { openWrites } from "../log/open-writes.ts";
import { type LoggedWrite, storeWrites } from "../log/store-writes.ts";
import type { StoredWrite } from "../log/stored-write.ts";
import type { ThreadLog } from "../log/thread-log.ts";

/** An operation as a line of the log, and what it did to the tables. */
interface WrittenDown {
  readonly line: Buffer;
  readonly steps: readonly Step[];
  /** Whether it only changes what is there. */
  readonly isSpare: boolean;
}

/** Writes an operation as a line that will stand so many bytes behind the end of the log, and does what it says. */
export function writeDown(thread: ThreadTables, log: ThreadLog, writes: readonly Write[], ahead: number): WrittenDown {
  const stored = storeWrites(thread, writes.filter(isLogged));
  const rows = toJson(stored.writes);
  const line = encodeLine(rows, stored.content, log.durable);
  // What goes into the tables is what will be read back one day, and not something that the caller can still change.
  const written = fromJson(rows) as readonly StoredWrite[];
  const steps = takeSteps(thread, openWrites(thread, log, written, { offset: log.next + ahead, length: line.length }));
  return { line, steps, isSpare: isSpareLine(written) };
}

function isLogged(write: Write): write is LoggedWrite {
  return write.write !== "delete_thread";
}

/** Whether a line brings nothing new: then it is only worth what it changes. */
export function isSpareLine(writes: readonly StoredWrite[]): boolean {
  return writes.every((write) => !("order" in write) && write.write !== "commit" && write.write !== "snapshot");
}
