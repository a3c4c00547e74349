import type { TableWrite } from "../../tables/table-write.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";
import { FiledCommit, FiledSnapshot } from "./filed-content.ts";
import type { LogRange } from "./log-range.ts";
import { openRow } from "./stored-rows.ts";
import type { StoredWrite } from "./stored-write.ts";
import type { ThreadLog } from "./thread-log.ts";

/** What a line of a log does to the tables. Each write is opened when those before it are done. */
export function* openWrites(
  thread: ThreadTables,
  log: ThreadLog,
  writes: readonly StoredWrite[],
  line: LogRange,
): Iterable<TableWrite> {
  for (const write of writes) {
    if ("order" in write && write.order !== undefined) thread.tenant.tables.sawOrder(write.order);
    const opened = openWrite(thread, log, write, line);
    if (opened !== undefined) yield opened;
  }
}

function openWrite(thread: ThreadTables, log: ThreadLog, write: StoredWrite, line: LogRange): TableWrite | undefined {
  switch (write.write) {
    case "commit": {
      const { message_ids, ended_calls } = write;
      return { write: "commit", cell: new FiledCommit(log, write, line), message_ids, ended_calls };
    }
    case "snapshot":
      return { write: "snapshot", cell: new FiledSnapshot(log, write, line) };
    case "suspended":
    case "refer":
    case "supersede":
    case "prune":
    case "forget_entries":
      return write;
    default:
      return openRow(thread, write);
  }
}
