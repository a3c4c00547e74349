import type { ThreadDemand, ThreadRows } from "../../kernel/demand.ts";
import { type DecisionRow, type EndedCall, type EntryRow, queueOf, type RunRow } from "../../kernel/rows.ts";
import { decisionKey, type EntryCell } from "../cells.ts";
import type { ThreadTables } from "../thread-tables.ts";

/** The rows an operation on a thread needs, but for history, which takes loading content. */
export function readDemand(thread: ThreadTables, demand: ThreadDemand, now: number): ThreadRows {
  const { tenant, row, mailbox } = thread;
  // A thread that was looked for by a run may have lost it to another while the operation waited.
  const isFound =
    row !== undefined && ("thread_id" in demand.thread || thread === tenant.findByRun(demand.thread.run_id));
  return {
    ...(isFound ? { thread: row } : {}),
    retired_epoch: row === undefined ? thread.retiredEpoch : 0,
    known_versions: pick(thread.versionOf, demand.changeset_ids),
    message_ids: (demand.message_ids ?? []).filter((id) => thread.positionOf.has(id)),
    runs: collectRuns(thread, demand),
    calls: collectEnded(thread, demand),
    decisions: collectDecisions(thread, demand),
    entries: collectEntries(thread, demand, now),
    queue: mailbox.queue.rows,
    positions: pick(thread.positionOf, demand.superseded_ids),
    superseded: demand.superseded_ids === undefined ? [] : thread.superseded,
  };
}

const NOTHING: ReadonlyMap<string, number> = new Map();

function pick(numbers: ReadonlyMap<string, number>, ids: readonly string[] = []): ReadonlyMap<string, number> {
  let found: Map<string, number> | undefined;
  for (const id of ids) {
    const number = numbers.get(id);
    if (number === undefined) continue;
    found ??= new Map();
    found.set(id, number);
  }
  return found ?? NOTHING;
}

/** Runs of the tenant, whichever thread has them. */
function collectRuns({ row, tenant }: ThreadTables, { run_ids = [] }: ThreadDemand): readonly RunRow[] {
  const open = row?.open_run_id ?? undefined;
  const ids = open === undefined || run_ids.includes(open) ? run_ids : [...run_ids, open];
  const found: RunRow[] = [];
  for (const id of ids) {
    const run = tenant.runs.get(id);
    if (run !== undefined) found.push(run.row);
  }
  return found;
}

function collectEnded({ tenant }: ThreadTables, { calls = [] }: ThreadDemand): readonly EndedCall[] {
  const found: EndedCall[] = [];
  for (const { run_id, call_id } of calls) {
    const call = tenant.runs.get(run_id)?.ended?.get(call_id);
    if (call !== undefined) found.push(call);
  }
  return found;
}

function collectDecisions(
  { row, runs, tenant }: ThreadTables,
  { decisions = [], pending_decisions }: ThreadDemand,
): readonly DecisionRow[] {
  const found: DecisionRow[] = [];
  for (const { run_id, call_id, suspension } of decisions) {
    const cell = tenant.runs.get(run_id)?.decisions?.get(decisionKey(call_id, suspension));
    if (cell !== undefined) found.push(cell.row);
  }
  const open = pending_decisions === undefined ? undefined : runs.get(row?.open_run_id ?? "");
  for (const { row: decision } of open?.decisions?.values() ?? []) if (decision.is_pending) found.push(decision);
  return found.length < 2 ? found : [...new Set(found)];
}

function collectEntries(thread: ThreadTables, demand: ThreadDemand, now: number): readonly EntryRow[] {
  const { tenant, mailbox } = thread;
  const { entry_ids = [], entry_run_ids = [], dedupe_key, queued_runs, heads, over_entries } = demand;
  const found = new Set<EntryRow>();
  const add = (cell: EntryCell | undefined): void => {
    if (cell !== undefined) found.add(cell.row);
  };
  for (const id of entry_ids) add(tenant.entries.get(id));
  for (const id of entry_run_ids) if (!tenant.runs.has(id)) add(tenant.runEntries.get(id));
  for (const cell of mailbox.held.values()) add(cell);
  if (dedupe_key !== undefined) add(mailbox.findByDedupeKey(dedupe_key));
  if (queued_runs !== undefined) for (const cell of mailbox.queue.all) add(cell);
  if (heads !== undefined) for (const cell of mailbox.queue.heads(now)) add(cell);
  if (over_entries !== undefined) for (const cell of overEntries(thread, over_entries)) add(cell);
  return [...found];
}

function overEntries(
  { mailbox }: ThreadTables,
  { before, limit }: { readonly before: number; readonly limit: number },
): readonly EntryCell[] {
  const isOver = ({ row: { entry } }: EntryCell): boolean => queueOf(entry) === null && entry.updated_at < before;
  return [...mailbox.entries.values()].filter(isOver).slice(0, limit);
}
