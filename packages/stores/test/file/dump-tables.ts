import type { CommitCell, RunCell } from "../../src/tables/cells.ts";
import type { Tables } from "../../src/tables/tables.ts";
import type { ThreadTables } from "../../src/tables/thread-tables.ts";

/** Everything that tables hold, as plain data, but for where in a log a text is. */
export function dumpTables(tables: Tables): unknown {
  const named = tables.threads.after({ tenant: { tenant: "" }, threadId: "" }, Number.POSITIVE_INFINITY);
  const tenants = [...new Set(named.map(({ tenant }) => tenant))];
  return {
    threads: named.map(dumpThread),
    work: tables.work
      .due(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, {
        needs: tables.work.dueNeeds(Number.POSITIVE_INFINITY).toSorted(),
        except: new Set(),
      })
      .map(({ threadId }) => threadId),
    tenants: tenants.map(({ tenant, runs, entries, runEntries, threads, suspended }) => ({
      tenant,
      runs: [...runs.keys()].toSorted(),
      entries: [...entries.keys()].toSorted(),
      runEntries: Array.from(runEntries, ([run, { row }]) => [run, row.entry.entry_id]).toSorted(),
      suspended: sorted(suspended).map(([key, { order }]) => [key, order]),
      retired: Array.from(threads.values(), ({ threadId, retiredEpoch }) => [threadId, retiredEpoch]).toSorted(),
    })),
  };
}

function dumpThread(thread: ThreadTables): unknown {
  const { mailbox } = thread;
  return {
    tenant: thread.tenant.tenant,
    row: thread.row,
    order: thread.order,
    entries: sorted(mailbox.entries),
    held: [...mailbox.held.keys()].toSorted(),
    queue: Array.from(mailbox.queue.all, ({ row }) => row.entry.entry_id),
    heads: mailbox.queue.heads(1_750_000_000_000).map(({ row }) => row.entry.entry_id),
    times: mailbox.queue.rows,
    runs: sorted(thread.runs).map(([id, run]) => [id, dumpRun(run)]),
    versionOf: sorted(thread.versionOf),
    positionOf: sorted(thread.positionOf),
    commits: Array.from(thread.commits, dumpCommit),
    superseded: thread.superseded,
    blobRefs: [...thread.blobRefs].toSorted(),
    snapshots: Array.from(thread.snapshots, ({ version }) => version),
  };
}

function dumpCommit(cell: CommitCell): unknown {
  const { version, changeset_id, run_id, epoch, digest, first_position, message_count, shown_count } = cell;
  const { segments, has_calls, has_patches, is_pruned } = cell;
  const counts = { first_position, message_count, shown_count };
  return { version, changeset_id, run_id, epoch, digest, ...counts, segments, has_calls, has_patches, is_pruned };
}

function dumpRun({ row, order, decisions, ended }: RunCell): unknown {
  return { row, order, decisions: sorted(decisions ?? new Map()), ended: sorted(ended ?? new Map()) };
}

function sorted<Key, Value>(map: ReadonlyMap<Key, Value>): [Key, Value][] {
  return [...map].toSorted(([key], [other]) => (key < other ? -1 : 1));
}
