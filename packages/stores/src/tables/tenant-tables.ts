import type { EntryCell, RunCell, SuspendedCell } from "./cells.ts";
import type { Tables } from "./tables.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** What one tenant has. Ids of runs and entries are unique in it, over threads. */
export class TenantTables {
  readonly tenant: string;
  readonly tables: Tables;
  readonly threads: Map<string, ThreadTables> = new Map();
  readonly runs: Map<string, RunCell> = new Map();
  readonly entries: Map<string, EntryCell> = new Map();
  /** The entries that ask for a run, by that run. */
  readonly runEntries: Map<string, EntryCell> = new Map();
  /** By run and call. */
  readonly suspended: Map<string, SuspendedCell> = new Map();
  /** The same by the id they have outside, which several may share. */
  readonly pending: Map<string, Set<SuspendedCell>> = new Map();

  constructor(tenant: string, tables: Tables) {
    this.tenant = tenant;
    this.tables = tables;
  }

  /** The thread that has a run, or an entry that asks for it. */
  findByRun(runId: string): ThreadTables | undefined {
    const run = this.runs.get(runId);
    if (run !== undefined) return run.thread;
    const entry = this.runEntries.get(runId);
    return entry === undefined ? undefined : this.threads.get(entry.row.entry.thread_id);
  }

  addRun(cell: RunCell): void {
    const { run_id } = cell.row.record;
    cell.thread.runs.set(run_id, cell);
    this.runs.set(run_id, cell);
  }

  removeRun({ thread, row }: RunCell): void {
    thread.runs.delete(row.record.run_id);
    this.runs.delete(row.record.run_id);
  }

  addEntry(thread: ThreadTables, cell: EntryCell): void {
    const { entry_id, kind, run_id } = cell.row.entry;
    thread.mailbox.add(cell);
    this.entries.set(entry_id, cell);
    if (kind === "run") this.runEntries.set(run_id, cell);
  }

  removeEntry(thread: ThreadTables, cell: EntryCell): void {
    const { entry_id, kind, run_id } = cell.row.entry;
    thread.mailbox.remove(cell);
    this.entries.delete(entry_id);
    if (kind === "run") this.runEntries.delete(run_id);
  }

  /** Puts a suspended call under its key, or takes out the one that is there. */
  putSuspended(key: string, cell: SuspendedCell | undefined): void {
    const before = this.suspended.get(key);
    if (before !== undefined) {
      const sharing = this.pending.get(before.pending_id);
      sharing?.delete(before);
      if (sharing?.size === 0) this.pending.delete(before.pending_id);
    }
    if (cell === undefined) {
      this.suspended.delete(key);
      return;
    }
    this.suspended.set(key, cell);
    this.pending.set(cell.pending_id, (this.pending.get(cell.pending_id) ?? new Set()).add(cell));
  }

  /** Takes a thread with everything it has, but for its epoch. */
  emptyThread(thread: ThreadTables, retiredEpoch: number): void {
    for (const runId of thread.runs.keys()) this.runs.delete(runId);
    for (const { row } of thread.mailbox.entries.values()) {
      this.entries.delete(row.entry.entry_id);
      if (row.entry.kind === "run") this.runEntries.delete(row.entry.run_id);
    }
    for (const [key, { run }] of this.suspended) if (run.thread === thread) this.putSuspended(key, undefined);
    this.tables.putThread(thread, undefined, 0);
    thread.empty(retiredEpoch);
  }
}
