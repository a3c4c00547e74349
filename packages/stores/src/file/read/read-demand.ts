import type { ThreadDemand, ThreadRows } from "../../kernel/demand.ts";
import { type EntryRow, placeOf, type RunRow } from "../../kernel/rows.ts";
import { decisionKey, type EntryCell, lastSeqOf, type RunCell } from "../tables/cells.ts";
import type { ThreadTables } from "../tables/thread-tables.ts";

/** The rows an operation on a thread needs, but for history, which takes reading a log. */
export function readDemand(thread: ThreadTables, demand: ThreadDemand, now: number): ThreadRows {
  const { tenant, row, mailbox } = thread;
  // A thread that was looked for by a run may have lost it to another while the operation waited.
  const isFound =
    row !== undefined && ("thread_id" in demand.thread || thread === tenant.findByRun(demand.thread.run_id));
  return {
    ...(isFound ? { thread: row } : {}),
    retired_epoch: row === undefined ? thread.log.retiredEpoch : 0,
    known_versions: new Map((demand.changeset_ids ?? []).flatMap((id) => versionEntry(thread, id))),
    message_ids: (demand.message_ids ?? []).filter((id) => thread.positionOf.has(id)),
    runs: collectRuns(thread, demand),
    calls: (demand.calls ?? []).flatMap(
      ({ run_id, call_id }) => findRun(thread, run_id)?.calls.get(call_id)?.row ?? [],
    ),
    decisions: (demand.decisions ?? []).flatMap(
      ({ run_id, call_id, suspension }) =>
        findRun(thread, run_id)?.decisions.get(decisionKey(call_id, suspension))?.row ?? [],
    ),
    entries: collectEntries(thread, demand, now),
    queue: mailbox.queue.rows,
  };
}

function versionEntry({ versionOf }: ThreadTables, changesetId: string): readonly (readonly [string, number])[] {
  const version = versionOf.get(changesetId);
  return version === undefined ? [] : [[changesetId, version]];
}

/** A run of the tenant, whichever thread has it. */
function findRun({ tenant }: ThreadTables, runId: string): RunCell | undefined {
  return tenant.runs.get(runId)?.cell;
}

function collectRuns(thread: ThreadTables, { run_ids = [] }: ThreadDemand): readonly RunRow[] {
  const open = thread.row?.open_run_id ?? undefined;
  const ids = new Set([...run_ids, ...(open === undefined ? [] : [open])]);
  return [...ids].flatMap((id) => {
    const cell = findRun(thread, id);
    return cell === undefined ? [] : [{ record: cell.record, last_seq: lastSeqOf(cell) }];
  });
}

function collectEntries(thread: ThreadTables, demand: ThreadDemand, now: number): readonly EntryRow[] {
  const { tenant, mailbox } = thread;
  const { entry_ids = [], entry_run_ids = [], dedupe_key, queued_runs, heads, over_entries } = demand;
  const found: (EntryCell | undefined)[] = [
    ...entry_ids.map((id) => tenant.entries.get(id)),
    ...entry_run_ids.filter((id) => !tenant.runs.has(id)).map((id) => tenant.runEntries.get(id)),
    ...mailbox.held.values(),
    ...(dedupe_key === undefined ? [] : [mailbox.findByDedupeKey(dedupe_key)]),
    ...(queued_runs === undefined ? [] : mailbox.queue.all),
    ...(heads === undefined ? [] : mailbox.queue.heads(now)),
    ...(over_entries === undefined ? [] : overEntries(thread, over_entries)),
  ];
  return [...new Set(found.flatMap((cell) => cell?.row ?? []))];
}

function overEntries(
  { mailbox }: ThreadTables,
  { before, limit }: { readonly before: number; readonly limit: number },
): readonly EntryCell[] {
  const isOver = ({ row: { entry } }: EntryCell): boolean => placeOf(entry) === null && entry.updated_at < before;
  return [...mailbox.entries.values()].filter(isOver).slice(0, limit);
}
