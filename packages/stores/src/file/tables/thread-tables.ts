import type { ThreadRow } from "../../kernel/rows.ts";
import type { ThreadLog } from "../log/thread-log.ts";
import type { MessageCell, RunCell, SnapshotCell, VersionCell } from "./cells.ts";
import { Mailbox } from "./mailbox.ts";
import { SortedList } from "./sorted-list.ts";
import type { TenantTables } from "./tenant-tables.ts";

/**
 * A thread in memory: its rows, and where in its log the texts are. There is one also for a thread that was deleted, as long as
 * its epoch has to be known, and for one that is about to be made; those have no row.
 */
export class ThreadTables {
  readonly tenant: TenantTables;
  readonly threadId: string;
  readonly log: ThreadLog;
  /** Its number in the order of the whole store. */
  order = 0;
  row: ThreadRow | undefined;
  mailbox: Mailbox = new Mailbox();
  readonly runs: Map<string, RunCell> = new Map();
  readonly versions: Map<number, VersionCell> = new Map();
  readonly versionOf: Map<string, number> = new Map();
  /** By position. One that is missing was in a line that cannot be read. */
  readonly messages: Map<number, MessageCell> = new Map();
  readonly positionOf: Map<string, number> = new Map();
  snapshots: SortedList<SnapshotCell> = newSnapshots();

  constructor(tenant: TenantTables, threadId: string, log: ThreadLog) {
    this.tenant = tenant;
    this.threadId = threadId;
    this.log = log;
  }

  /** Forgets everything. What others know of it is taken from them by `TenantTables`. */
  empty(): void {
    for (const table of [this.runs, this.versions, this.versionOf, this.messages, this.positionOf]) table.clear();
    this.mailbox = new Mailbox();
    this.snapshots = newSnapshots();
  }
}

function newSnapshots(): SortedList<SnapshotCell> {
  return new SortedList((cell, other) => cell.version - other.version);
}
