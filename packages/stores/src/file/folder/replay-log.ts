import { isSpareLine } from "../lane/write-down.ts";
import type { LoadedLog } from "../log/load-log.ts";
import { freshThread } from "../tables/fresh-thread.ts";
import { freezeDeep } from "../tables/row-change.ts";
import { takeSteps } from "../tables/take-steps.ts";
import type { ThreadTables } from "../tables/thread-tables.ts";

/**
 * Puts what a log says into the tables. Of a damaged one that is as much as can be read, also of what came after the damage;
 * the thread is then closed for writing and offers no work.
 */
export function replayLog(thread: ThreadTables, { header, lines, end, damagedAt }: LoadedLog): void {
  const { tables } = thread.tenant;
  thread.log.found(end, header?.retired_epoch ?? 0);
  if (damagedAt !== undefined) tables.putThread(thread, freshThread(thread), 0);
  for (const line of lines) {
    takeSteps(thread, freezeDeep(line.writes), line);
    if (isSpareLine(line.writes)) thread.log.spare += line.length;
  }
  const { row, order } = thread;
  if (damagedAt === undefined || row === undefined) return;
  const damage = row.damage ?? `Its log cannot be read at byte ${damagedAt}.`;
  tables.putThread(thread, { ...row, damage, work: null }, order);
}
