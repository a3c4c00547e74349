import type { EntryQuery, RunQuery, RunRecord } from "@reprise/contracts";
import type { InboxRows, RowReader } from "../../shell/row-reader.ts";
import { type CommitCell, decisionKey, type EntryCell, type RunCell } from "../cells.ts";
import type { TenantTables } from "../tenant-tables.ts";
import { cutRows, isAsked } from "./cut-rows.ts";
import type { ReadPorts, ThereThread } from "./find-thread.ts";
import { loadContents } from "./load-contents.ts";
import type { ThreadReads } from "./read-threads.ts";

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReads(ports: ReadPorts): Omit<RowReader, keyof ThreadReads> {
  const findRun = (tenant: string, runId: string) => ports.tables.findTenant(tenant)?.runs.get(runId);
  return {
    loadRun: async (tenant, runId) => findRun(tenant, runId)?.row,
    async listRuns(tenant, query, cut) {
      const runs = runsOf(ports.tables.findTenant(tenant), query.thread_id);
      const found = runs.filter(({ row }) => isAskedRun(row.record, query));
      found.sort((run, other) => other.row.record.created_at - run.row.record.created_at || other.order - run.order);
      return cutRows(found, cut, ({ row }) => row.record);
    },
    async readCalls(tenant, of) {
      const cells =
        "run_id" in of
          ? commitsOf(findRun(tenant, of.run_id))
          : [...(ports.findThread(tenant, of.thread_id)?.commits ?? [])];
      const contents = (await loadContents(cells.filter(({ has_calls }) => has_calls))) ?? [];
      return contents.map((content) => ({ open: () => content.calls() }));
    },
    async listSuspended(tenant, { run_id, thread_id, pending_id }, cut) {
      const tables = ports.tables.findTenant(tenant);
      const suspended = [
        ...((pending_id === undefined ? tables?.suspended : tables?.pending.get(pending_id))?.values() ?? []),
      ];
      const found = suspended.flatMap(({ run, call_id, order }) => {
        const isWanted = isAsked(run_id, run.row.record.run_id) && isAsked(thread_id, run.thread.threadId);
        const call = isWanted ? run.row.open_calls.find((open) => open.call_id === call_id) : undefined;
        return call === undefined ? [] : [{ call, order }];
      });
      found.sort((one, other) => one.order - other.order);
      return cutRows(found, cut, ({ call }) => call);
    },
    async listOpenRuns(tenant) {
      const threads = [...(ports.tables.findTenant(tenant)?.threads.values() ?? [])];
      const runs = threads.flatMap(({ row, runs }) => runs.get(row?.open_run_id ?? "") ?? []);
      return runs.sort((run, other) => run.order - other.order).map(({ row }) => row);
    },
    loadDecision: async (tenant, runId, callId, suspension) =>
      findRun(tenant, runId)?.decisions?.get(decisionKey(callId, suspension))?.row.decision,
    readInbox: async (tenant, threadId, runId) => readInbox(ports.findThread(tenant, threadId), runId),
    async readEvents(tenant, runId, afterSeq, limit) {
      const run = findRun(tenant, runId);
      if (run === undefined || run.row.last_seq <= afterSeq) return [];
      const cells = commitsWithEvents(run, afterSeq).slice(0, limit);
      const contents = await loadContents(cells);
      // They may have been pruned while they were read.
      if (contents === undefined || cells.some(({ is_pruned }) => is_pruned)) return [];
      return cells.map((cell, index) => ({
        thread_id: run.thread.threadId,
        epoch: cell.epoch,
        first_seq: segmentOf(cell, runId)?.first_seq ?? 0,
        open: () => contents[index]?.events() ?? [],
      }));
    },
    async lastSeqOfEpoch(tenant, runId, epoch) {
      const isOfEpoch = (cell: CommitCell): boolean => cell.epoch <= epoch && segmentOf(cell, runId) !== undefined;
      const cell = commitsOf(findRun(tenant, runId)).findLast(isOfEpoch);
      return (cell && segmentOf(cell, runId)?.last_seq) ?? 0;
    },
    async listEntries(tenant, query, cut) {
      const found = entriesOf(ports.tables.findTenant(tenant), query).filter((cell) => isAskedEntry(cell, query));
      found.sort((entry, other) => entry.order - other.order);
      return cutRows(found, cut, ({ row }) => row);
    },
  };
}

function commitsOf(run: RunCell | undefined): readonly CommitCell[] {
  return run === undefined ? [] : run.thread.commits.range(run.row.first_version - 1, run.row.last_version);
}

/** Looks back from the end, so that reading the tail does not cost the whole journal. */
function commitsWithEvents(run: RunCell, afterSeq: number): readonly CommitCell[] {
  const { run_id } = run.row.record;
  const found: CommitCell[] = [];
  for (const cell of commitsOf(run).toReversed()) {
    const segment = segmentOf(cell, run_id);
    if (segment === undefined) continue;
    if (segment.last_seq <= afterSeq || cell.is_pruned) break;
    found.push(cell);
  }
  return found.reverse();
}

function segmentOf({ segments }: CommitCell, runId: string) {
  return segments.find(({ run_id }) => run_id === runId);
}

function runsOf(tenant: TenantTables | undefined, threadId: string | undefined): RunCell[] {
  const runs = threadId === undefined ? tenant?.runs : tenant?.threads.get(threadId)?.runs;
  return [...(runs?.values() ?? [])];
}

/** Entries for a run are those of its thread. */
function entriesOf(tenant: TenantTables | undefined, { thread_id, run_id }: EntryQuery): EntryCell[] {
  if (thread_id === undefined && run_id === undefined) return [...(tenant?.entries.values() ?? [])];
  const thread = thread_id === undefined ? tenant?.findByRun(run_id ?? "") : tenant?.threads.get(thread_id);
  return [...(thread?.mailbox.entries.values() ?? [])];
}

function isAskedRun(record: RunRecord, query: RunQuery): boolean {
  const { created_at_from = Number.NEGATIVE_INFINITY, created_at_to = Number.POSITIVE_INFINITY } = query;
  const { updated_at_from = Number.NEGATIVE_INFINITY, updated_at_to = Number.POSITIVE_INFINITY } = query;
  return (
    isAsked(query.parent_run_id, record.parent_run_id) &&
    isAsked(query.agent_id, record.agent_id) &&
    isAsked(query.status, record.status) &&
    isAsked(query.origin, record.origin) &&
    isAsked(query.termination_code, record.termination_code) &&
    record.created_at >= created_at_from &&
    record.created_at <= created_at_to &&
    record.updated_at >= updated_at_from &&
    record.updated_at <= updated_at_to
  );
}

function isAskedEntry({ row: { entry } }: EntryCell, { run_id, status }: EntryQuery): boolean {
  return isAsked(run_id, entry.run_id) && isAsked<EntryQuery["status"]>(status, entry.status);
}

/** What came for a run while its owner was busy. */
function readInbox(thread: ThereThread | undefined, runId: string): InboxRows {
  if (thread === undefined) return { decisions: [], cancel: undefined, steering: [] };
  const { mailbox, runs } = thread;
  const decisions = [...(runs.get(runId)?.decisions?.values() ?? [])].filter(({ row }) => row.is_pending);
  decisions.sort((decision, other) => decision.order - other.order);
  const isCancel = ({ row: { entry } }: EntryCell): boolean => entry.kind === "cancel" && entry.run_id === runId;
  const cancels = [...mailbox.held.values()].filter(isCancel);
  cancels.sort((cancel, other) => cancel.row.arrival - other.row.arrival);
  const steering = [...mailbox.queue.all].filter(({ row }) => row.entry.busy_policy === "steer");
  return {
    decisions: decisions.map(({ row }) => row.decision),
    cancel: cancels[0]?.row,
    steering: steering.map(({ row }) => row),
  };
}
