import { parseJson } from "@reprise/state";
import type { Write } from "../../kernel/write.ts";
import { encodeContent } from "../log/content.ts";
import { encodeLine } from "../log/log-line.ts";
import { freezeDeep, toJson } from "../tables/row-change.ts";
import type { Step } from "../tables/step.ts";
import { type LoggedWrite, storeWrites } from "../tables/store-writes.ts";
import type { StoredWrite } from "../tables/stored-write.ts";
import { takeSteps } from "../tables/take-steps.ts";
import type { ThreadTables } from "../tables/thread-tables.ts";

/** An operation as a line of the log, and what it did to the tables. */
interface WrittenDown {
  readonly line: Buffer;
  readonly steps: readonly Step[];
  /** Whether it only changes what is there. */
  readonly isSpare: boolean;
}

/** Writes an operation as a line that will stand so many bytes behind the end of the log, and does what it says. */
export function writeDown(thread: ThreadTables, writes: readonly Write[], ahead: number): WrittenDown {
  const { log } = thread;
  const stored = storeWrites(thread, writes.filter(isLogged));
  const rows = toJson(stored.writes);
  const line = encodeLine(rows, encodeContent(stored.contents), log.durable);
  // What goes into the tables is what will be read back one day, and not something that the caller can still change.
  const written = freezeDeep(parseJson(rows) as readonly StoredWrite[]);
  const steps = takeSteps(thread, written, { offset: log.next + ahead, length: line.length });
  return { line, steps, isSpare: isSpareLine(written) };
}

function isLogged(write: Write): write is LoggedWrite {
  return write.write !== "delete_thread";
}

/** Whether a line brings nothing new: then it is only worth what it changes. */
export function isSpareLine(writes: readonly StoredWrite[]): boolean {
  return writes.every((write) => !("order" in write) && !("item" in write));
}
