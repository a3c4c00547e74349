import type { RunCell } from "../../src/file/tables/cells.ts";
import type { Tables } from "../../src/file/tables/tables.ts";
import type { ThreadTables } from "../../src/file/tables/thread-tables.ts";

/** Everything that tables hold, as plain data, but for where in a log a text is. */
export function dumpTables(tables: Tables): unknown {
  const named = [...tables.threads];
  const tenants = [...new Set(named.map(({ tenant }) => tenant))];
  return {
    threads: named.map(dumpThread),
    work: tables.work
      .due(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, new Set())
      .map(({ threadId }) => threadId),
    tenants: tenants.map(({ tenant, runs, entries, runEntries, threads }) => ({
      tenant,
      runs: [...runs.keys()].toSorted(),
      entries: [...entries.keys()].toSorted(),
      runEntries: Array.from(runEntries, ([run, { row }]) => [run, row.entry.entry_id]).toSorted(),
      retired: Array.from(threads.values(), ({ threadId, log }) => [threadId, log.retiredEpoch]).toSorted(),
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
    versions: sorted(thread.versions).map(([, { place: _, messages, segments, isPruned, hasPatches, ...version }]) => ({
      ...version,
      messages: messages.map(({ id }) => id),
      isPruned,
      // Of what is pruned it no longer matters.
      ...(isPruned ? {} : { hasPatches, segments: segments.map(({ from: _from, ...segment }) => segment) }),
    })),
    messages: sorted(thread.messages).map(([, { from, ...message }]) => ({ ...message, version: from.version })),
    snapshots: Array.from(thread.snapshots, ({ version }) => version),
  };
}

function dumpRun({ record, order, calls, decisions, segments }: RunCell): unknown {
  const journal = segments.map(({ from, ...segment }) => ({ ...segment, version: from.version }));
  return { record, order, calls: sorted(calls), decisions: sorted(decisions), journal };
}

function sorted<Key, Value>(map: ReadonlyMap<Key, Value>): [Key, Value][] {
  return [...map].toSorted(([key], [other]) => (key < other ? -1 : 1));
}
