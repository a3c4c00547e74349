import { freezeDeep } from "../../tables/freeze-deep.ts";
import { takeSteps } from "../../tables/take-steps.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";
import { isSpareLine } from "../lane/write-down.ts";
import { freshThread } from "../log/fresh-thread.ts";
import type { LoadedLog } from "../log/load-log.ts";
import { openWrites } from "../log/open-writes.ts";
import type { ThreadLog } from "../log/thread-log.ts";

/**
 * Puts what a log says into the tables. Of a damaged one that is as much as can be read, also of what came after the damage;
 * the thread is then closed for writing and offers no work.
 */
export function replayLog(thread: ThreadTables, log: ThreadLog, { header, lines, end, damagedAt }: LoadedLog): void {
  const { tables } = thread.tenant;
  thread.retiredEpoch = header?.retired_epoch ?? 0;
  log.found(end, thread.retiredEpoch);
  if (damagedAt !== undefined) tables.putThread(thread, freshThread(thread), 0);
  for (const line of lines) {
    takeSteps(thread, openWrites(thread, log, freezeDeep(line.writes), line));
    if (isSpareLine(line.writes)) log.spare += line.length;
  }
  const { row, order } = thread;
  if (damagedAt === undefined || row === undefined) return;
  const damage = row.damage ?? `Its log cannot be read at byte ${damagedAt}.`;
  tables.putThread(thread, { ...row, damage, work: null }, order);
}
