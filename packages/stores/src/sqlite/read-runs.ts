import type { CallQuery, EntryQuery, RunQuery } from "@reprise/contracts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns } from "../codec/columns/run-columns.ts";
import { escapeText, unescapeText } from "../codec/escape-text.ts";
import { idKey } from "../codec/id-key.ts";
import { damaged } from "../codec/stored-text.ts";
import type { CallRow, EntryRow, RunRow } from "../kernel/rows.ts";
import type { InboxRows, RowReader } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import { listRows } from "./list-rows.ts";
import type { ThreadReads } from "./read-threads.ts";
import { type ReadRun, selectCalls, selectEvents, selectLastSeq } from "./select-commits.ts";
import {
  ENTRY_COLUMNS,
  RUN_COLUMNS,
  type RunColumnsOfThread,
  selectDecision,
  selectEntries,
  selectPendingDecisions,
  selectRun,
} from "./select-rows.ts";
import { type Filter, type Where, whereAll } from "./where.ts";

const THREAD = "thread_key = (select key from threads where tenant = :tenant and thread_id = :thread_id)";

/** What came for a run while its owner was busy. */
function readInbox(connection: Connection, tenant: string, threadId: string, runId: string): InboxRows {
  const thread = { tenant, thread_id: threadId };
  const isOfThread = selectRun(connection, tenant, runId)?.record.thread_id === threadId;
  const decisions = isOfThread ? selectPendingDecisions(connection, tenant, runId) : [];
  const [cancel] = selectEntries(
    connection,
    `${THREAD} and place in ('wake', 'claimed') and kind = 'cancel' and run_id = :run_id order by arrival`,
    { ...thread, run_id: escapeText(runId) },
  );
  const steering = selectEntries(
    connection,
    `${THREAD} and place = 'run' and busy_policy = 'steer' order by priority desc, arrival`,
    thread,
  );
  return { decisions: decisions.map(({ decision }) => decision), cancel, steering };
}

type RunReads = Omit<RowReader, keyof ThreadReads>;

type WithThread = { readonly thread_id: string };

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReads(connection: Connection): RunReads {
  return {
    loadRun: async (tenant, runId) => selectRun(connection, tenant, runId),
    async listRuns(tenant, query, cut) {
      const where = whereRuns(tenant, query);
      const order = "run_records.created_at desc, run_records.key desc";
      const list = { columns: RUN_COLUMNS, count: "run_records", where, order };
      return listRows<RunColumnsOfThread, RunRow["record"]>(connection, list, cut, (row) => fromRunColumns(row).record);
    },
    async readCalls(tenant, of) {
      if ("thread_id" in of) {
        const sql = "select key, version from threads where tenant = :tenant and thread_id = :thread_id";
        const thread = connection.get<{ readonly key: number; readonly version: number }>(sql, { tenant, ...of });
        if (thread === undefined) return [];
        return selectCalls(connection, thread.key, { first_version: 1, last_version: thread.version });
      }
      const run = selectRun(connection, tenant, of.run_id);
      return run === undefined ? [] : selectCalls(connection, run.thread_key, run);
    },
    async listSuspended(tenant, query, cut) {
      const list = { columns: SUSPENDED, count: "suspended_calls", where: whereSuspended(tenant, query), order: KEY };
      return listRows<SuspendedColumns, CallRow>(connection, list, cut, toSuspendedCall);
    },
    async listOpenRuns(tenant) {
      const sql = `select ${RUN_COLUMNS} where run_records.tenant = :tenant and status <> 'done' order by run_records.key`;
      return connection.all<RunColumnsOfThread>(sql, { tenant }).map(fromRunColumns);
    },
    loadDecision: async (tenant, run_id, call_id, suspension) =>
      selectDecision(connection, tenant, { run_id, call_id, suspension })?.decision,
    readInbox: async (tenant, threadId, runId) => readInbox(connection, tenant, threadId, runId),
    async readEvents(tenant, runId, afterSeq, limit) {
      const run = selectRun(connection, tenant, runId);
      if (run === undefined) return [];
      const thread = { key: run.thread_key, thread_id: run.record.thread_id };
      return selectEvents(connection, thread, readRun(run), { afterSeq, limit });
    },
    async lastSeqOfEpoch(tenant, runId, epoch) {
      const run = selectRun(connection, tenant, runId);
      return run === undefined ? 0 : selectLastSeq(connection, run.thread_key, readRun(run), epoch);
    },
    async listEntries(tenant, query, cut) {
      const list = { columns: ENTRY_COLUMNS, count: ENTRIES, where: whereEntries(tenant, query), order: "entries.key" };
      return listRows<EntryColumns & WithThread, EntryRow>(connection, list, cut, fromEntryColumns);
    },
  };
}

const ENTRIES = "entries";
const KEY = "suspended_calls.key";

/** A suspended call with the run whose row holds it. */
type SuspendedColumns = RunColumnsOfThread & { readonly call_id: string };

const SUSPENDED = `suspended_calls.call_id, run_records.*, threads.thread_id from suspended_calls
  join run_records on run_records.tenant = suspended_calls.tenant and run_records.run_id = suspended_calls.run_id
  join threads on threads.key = suspended_calls.thread_key`;

function toSuspendedCall(columns: SuspendedColumns): CallRow {
  const call_id = unescapeText(columns.call_id);
  const call = fromRunColumns(columns).open_calls.find((open) => open.call_id === call_id);
  if (call === undefined) throw damaged("run");
  return call;
}

function readRun({ record: { run_id }, last_seq, first_version, last_version }: RunRow): ReadRun {
  return { run_id, last_seq, first_version, last_version };
}

function whereRuns(tenant: string, query: RunQuery): Where {
  return whereAll([
    equal("run_records.tenant", "tenant", tenant),
    inThread("run_records", query.thread_id),
    equal("run_records.parent_run_id", "parent_run_id", query.parent_run_id),
    equal("agent_id", "agent_id", query.agent_id),
    equal("status", "status", query.status),
    equal("origin", "origin", query.origin),
    equal("termination_code", "termination_code", query.termination_code),
    { condition: "run_records.created_at >= :created_from", name: "created_from", value: query.created_at_from },
    { condition: "run_records.created_at <= :created_to", name: "created_to", value: query.created_at_to },
    { condition: "run_records.updated_at >= :updated_from", name: "updated_from", value: query.updated_at_from },
    { condition: "run_records.updated_at <= :updated_to", name: "updated_to", value: query.updated_at_to },
  ]);
}

function whereSuspended(tenant: string, query: Omit<CallQuery, "status">): Where {
  return whereAll([
    equal("suspended_calls.tenant", "tenant", tenant),
    inThread("suspended_calls", query.thread_id),
    equal("suspended_calls.run_id", "run_id", query.run_id),
    {
      condition: "suspended_calls.pending_key = :pending_key",
      name: "pending_key",
      value: query.pending_id === undefined ? undefined : idKey(query.pending_id),
    },
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
