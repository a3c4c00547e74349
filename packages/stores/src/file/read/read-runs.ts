import type { CallQuery, EntryQuery, RunQuery, RunRecord } from "@reprise/contracts";
import { isPruned } from "../../codec/stored-text.ts";
import type { RowReader } from "../../shell/row-reader.ts";
import { decisionKey, type EntryCell, type RunCell } from "../tables/cells.ts";
import type { TenantTables } from "../tables/tenant-tables.ts";
import { cutRows, isAsked } from "./cut-rows.ts";
import { isThere, type ReadPorts } from "./find-thread.ts";
import { readInbox } from "./read-inbox.ts";
import type { ThreadReads } from "./read-threads.ts";
import { loadRows } from "./stored-rows.ts";

type RunReads = Omit<RowReader, keyof ThreadReads>;

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReads(ports: ReadPorts): RunReads {
  const findRun = (tenant: string, runId: string) => ports.tables.findTenant(tenant)?.runs.get(runId);
  return {
    loadRun: async (tenant, runId) => findRun(tenant, runId)?.cell.record,
    async listRuns(tenant, query, cut) {
      const found = runsOf(ports.tables.findTenant(tenant), query.thread_id).filter(({ record }) =>
        isAskedRun(record, query),
      );
      found.sort((run, other) => other.record.created_at - run.record.created_at || other.order - run.order);
      return cutRows(found, cut, ({ record }) => record);
    },
    loadCall: async (tenant, runId, callId) => findRun(tenant, runId)?.cell.calls.get(callId)?.row,
    async listCalls(tenant, query, cut) {
      const runs = runsOf(ports.tables.findTenant(tenant), query.thread_id);
      const asked = runs.filter(({ record }) => isAsked(query.run_id, record.run_id));
      const calls = asked.flatMap((run) => [...run.calls.values()]);
      const found = calls.filter(({ row }) => isAsked<CallQuery["status"]>(query.status, row.status));
      found.sort((call, other) => call.order - other.order);
      return cutRows(found, cut, ({ row }) => row);
    },
    loadDecision: async (tenant, runId, callId, suspension) =>
      findRun(tenant, runId)?.cell.decisions.get(decisionKey(callId, suspension))?.row.decision,
    readInbox: async (tenant, threadId, runId) => readInbox(ports.findThread(tenant, threadId), runId),
    async readSegments(tenant, runId, afterSeq, limit) {
      const run = findRun(tenant, runId);
      if (run === undefined || !isThere(run.thread)) return [];
      const { thread, cell } = run;
      const segments = cell.segments.filter(({ last_seq }) => last_seq > afterSeq).slice(0, limit);
      const rows = await loadRows(
        thread,
        segments.map(({ from }) => from),
      );
      if (rows === undefined) return [];
      const found = segments.map((segment) => ({
        thread_id: thread.threadId,
        segment: rows.segment(segment),
        messages: segment.from.messages.map((message) => rows.message(message)),
      }));
      // They may have been pruned while they were read.
      return found.some(({ segment }) => isPruned(segment.text)) ? [] : found;
    },
    async lastSeqOfEpoch(tenant, runId, epoch) {
      const segments = findRun(tenant, runId)?.cell.segments ?? [];
      return segments.findLast(({ from }) => from.epoch <= epoch)?.last_seq ?? 0;
    },
    async listEntries(tenant, query, cut) {
      const found = entriesOf(ports.tables.findTenant(tenant), query.thread_id).filter((cell) =>
        isAskedEntry(cell, query),
      );
      found.sort((entry, other) => entry.order - other.order);
      return cutRows(found, cut, ({ row }) => row);
    },
  };
}

function runsOf(tenant: TenantTables | undefined, threadId: string | undefined): RunCell[] {
  if (tenant === undefined) return [];
  if (threadId === undefined) return Array.from(tenant.runs.values(), ({ cell }) => cell);
  return [...(tenant.threads.get(threadId)?.runs.values() ?? [])];
}

function entriesOf(tenant: TenantTables | undefined, threadId: string | undefined): EntryCell[] {
  const entries = threadId === undefined ? tenant?.entries : tenant?.threads.get(threadId)?.mailbox.entries;
  return [...(entries?.values() ?? [])];
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
