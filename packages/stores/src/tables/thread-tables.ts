import type { SupersededRange, ThreadRow } from "../kernel/rows.ts";
import type { RunCell, SnapshotCell } from "./cells.ts";
import { CommitList } from "./commit-list.ts";
import { Mailbox } from "./mailbox.ts";
import type { TenantTables } from "./tenant-tables.ts";

/**
 * The rows of one thread. There are tables also for a thread that was deleted, as long as its epoch has to be known, and for one
 * that is about to be made; those have no row.
 */
export class ThreadTables {
  readonly tenant: TenantTables;
  readonly threadId: string;
  /** Its number in the order of the whole store. */
  order = 0;
  row: ThreadRow | undefined;
  /** The last epoch of a deleted thread with this id; 0 when there was none. */
  retiredEpoch = 0;
  mailbox: Mailbox = new Mailbox();
  readonly runs: Map<string, RunCell> = new Map();
  readonly commits: CommitList = new CommitList();
  readonly versionOf: Map<string, number> = new Map();
  readonly positionOf: Map<string, number> = new Map();
  readonly blobRefs: Set<string> = new Set();
  superseded: readonly SupersededRange[] = [];
  /** By version. */
  snapshots: readonly SnapshotCell[] = [];

  constructor(tenant: TenantTables, threadId: string) {
    this.tenant = tenant;
    this.threadId = threadId;
  }

  /** Forgets everything. What others know of it is taken from them by `TenantTables`. */
  empty(retiredEpoch: number): void {
    for (const table of [this.runs, this.commits, this.versionOf, this.positionOf, this.blobRefs]) table.clear();
    this.mailbox = new Mailbox();
    this.superseded = [];
    this.snapshots = [];
    this.retiredEpoch = retiredEpoch;
  }
}
