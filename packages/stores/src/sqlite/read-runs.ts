import type { CallQuery, EntryQuery, RunQuery } from "@reprise/contracts";
import { type CallColumns, fromCallColumns } from "../codec/columns/call-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { CallRow, EntryRow, RunRow } from "../kernel/rows.ts";
import type { RowReader } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import { listRows } from "./list-rows.ts";
import { readInbox } from "./read-inbox.ts";
import { readSegments } from "./read-segments.ts";
import type { ThreadReads } from "./read-threads.ts";
import { CALL_COLUMNS, ENTRY_COLUMNS, RUN_COLUMNS, selectCall, selectDecision, selectRun } from "./select-rows.ts";
import { type Filter, type Where, whereAll } from "./where.ts";

type RunReads = Omit<RowReader, keyof ThreadReads>;

type WithThread = { readonly thread_id: string };
type WithRun = { readonly run_id: string };

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReads(connection: Connection): RunReads {
  return {
    loadRun: async (tenant, runId) => selectRun(connection, tenant, runId)?.record,
    async listRuns(tenant, query, cut) {
      const where = whereRuns(tenant, query);
      const list = { columns: RUN_COLUMNS, count: RUNS, where, order: "runs.created_at desc, runs.key desc" };
      return listRows<RunColumns & WithThread, RunRow["record"]>(connection, list, cut, fromRunColumns);
    },
    loadCall: async (tenant, run_id, call_id) => selectCall(connection, tenant, { run_id, call_id }),
    async listCalls(tenant, query, cut) {
      const list = { columns: CALL_COLUMNS, count: CALLS, where: whereCalls(tenant, query), order: "calls.key" };
      return listRows<CallColumns & WithRun & WithThread, CallRow>(connection, list, cut, fromCallColumns);
    },
    loadDecision: async (tenant, run_id, call_id, suspension) =>
      selectDecision(connection, tenant, { run_id, call_id, suspension })?.decision,
    readInbox: async (tenant, threadId, runId) => readInbox(connection, tenant, threadId, runId),
    readSegments: async (tenant, runId, afterSeq, limit) => readSegments(connection, tenant, runId, afterSeq, limit),
    async lastSeqOfEpoch(tenant, runId, epoch) {
      const found = connection.get<{ readonly last_seq: number }>(
        `select last_seq from segments join runs on runs.key = segments.run_key
         where runs.tenant = :tenant and runs.run_id = :run_id and epoch <= :epoch order by last_seq desc limit 1`,
        { tenant, run_id: escapeText(runId), epoch },
      );
      return found?.last_seq ?? 0;
    },
    async listEntries(tenant, query, cut) {
      const list = { columns: ENTRY_COLUMNS, count: ENTRIES, where: whereEntries(tenant, query), order: "entries.key" };
      return listRows<EntryColumns & WithThread, EntryRow>(connection, list, cut, fromEntryColumns);
    },
  };
}

const RUNS = "runs";
const CALLS = "calls join runs on runs.key = calls.run_key";
const ENTRIES = "entries";

function whereRuns(tenant: string, query: RunQuery): Where {
  return whereAll([
    equal("runs.tenant", "tenant", tenant),
    inThread("runs", query.thread_id),
    equal("runs.parent_run_id", "parent_run_id", query.parent_run_id),
    equal("agent_id", "agent_id", query.agent_id),
    equal("status", "status", query.status),
    equal("origin", "origin", query.origin),
    equal("termination_code", "termination_code", query.termination_code),
    { condition: "runs.created_at >= :created_from", name: "created_from", value: query.created_at_from },
    { condition: "runs.created_at <= :created_to", name: "created_to", value: query.created_at_to },
    { condition: "runs.updated_at >= :updated_from", name: "updated_from", value: query.updated_at_from },
    { condition: "runs.updated_at <= :updated_to", name: "updated_to", value: query.updated_at_to },
  ]);
}

function whereCalls(tenant: string, query: CallQuery): Where {
  return whereAll([
    equal("calls.tenant", "tenant", tenant),
    inThread("calls", query.thread_id),
    {
      condition: "calls.run_key = (select key from runs where tenant = :tenant and run_id = :run_id)",
      name: "run_id",
      value: query.run_id === undefined ? undefined : escapeText(query.run_id),
    },
    equal("calls.status", "status", query.status),
  ]);
}

function whereEntries(tenant: string, query: EntryQuery): Where {
  return whereAll([
    equal("entries.tenant", "tenant", tenant),
    inThread("entries", query.thread_id),
    equal("entries.run_id", "run_id", query.run_id),
    equal("entries.status", "status", query.status),
    // Said aloud, so that SQLite sees that the index on these holds all of them.
    { condition: "entries.status <> 'accepted'", name: "status", value: notAccepted(query.status) },
  ]);
}

function notAccepted(status: EntryQuery["status"]): string | undefined {
  return status === "accepted" ? undefined : status;
}

function equal(column: string, name: string, value: string | undefined): Filter {
  return { condition: `${column} = :${name}`, name, value: value === undefined ? undefined : escapeText(value) };
}

function inThread(table: string, threadId: string | undefined): Filter {
  const thread = "(select key from threads where tenant = :tenant and thread_id = :thread_id)";
  return { condition: `${table}.thread_key = ${thread}`, name: "thread_id", value: threadId };
}
