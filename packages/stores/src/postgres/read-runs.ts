import type { CallQuery, EntryQuery, RunQuery } from "@reprise/contracts";
import { type CallColumns, fromCallColumns } from "../codec/columns/call-columns.ts";
import { type DecisionColumns, fromDecisionColumns } from "../codec/columns/decision-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { CallRow, EntryRow, RunRow } from "../kernel/rows.ts";
import type { RowReader } from "../shell/row-reader.ts";
import { CALL_COLUMNS, DECISION_COLUMNS, ENTRY_COLUMNS, RUN_COLUMNS, threadOfRow } from "./demand-statements.ts";
import { floorBound, storedId } from "./hostile-values.ts";
import { listRows } from "./list-rows.ts";
import { eachOf } from "./owners.ts";
import { readInbox } from "./read-inbox.ts";
import { readSegments } from "./read-segments.ts";
import type { ThreadReads } from "./read-threads.ts";
import type { Ask } from "./select-changesets.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";
import { Where } from "./where.ts";

type RunReads = Omit<RowReader, keyof ThreadReads>;
type WithThread = { readonly thread_id: string };
type WithRun = { readonly run_id: string };

const SELECT_RUN = prepared(
  `select ${RUN_COLUMNS} from runs ${threadOfRow("runs")} where runs.tenant = $1 and runs.run_id = $2`,
);

const SELECT_CALL = prepared(
  `select ${CALL_COLUMNS} from runs ${eachOf("calls", "calls.run_key = runs.key and calls.call_id = $3")}
   ${threadOfRow("calls")} where runs.tenant = $1 and runs.run_id = $2`,
);

const RUN_OF_CALL = eachOf("runs", "runs.thread_key = calls.thread_key and runs.key = calls.run_key");

const SELECT_DECISION = prepared(
  `select ${DECISION_COLUMNS} from decisions
   where tenant = $1 and run_id = $2 and call_id = $3 and suspension = $4::bigint`,
);

const SELECT_LAST_SEQ = prepared(
  `select last_seq from segments where run_key = (select key from runs where tenant = $1 and run_id = $2)
   and epoch <= $3::bigint order by last_seq desc limit 1`,
);

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReads(ask: Ask): RunReads {
  return {
    async loadRun(tenant, runId) {
      const results = await ask([SELECT_RUN(tenant, escapeText(runId))]);
      return rowsOf<RunColumns & WithThread>(results).map(fromRunColumns)[0];
    },
    listRuns(tenant, query, cut) {
      const where = whereRuns(tenant, query);
      const order = "runs.created_at desc, runs.key desc";
      const list = { columns: RUN_COLUMNS, table: "runs", joined: threadOfRow("runs"), where, order };
      return listRows<RunColumns & WithThread, RunRow["record"]>(ask, list, cut, fromRunColumns);
    },
    async loadCall(tenant, runId, callId) {
      const results = await ask([SELECT_CALL(tenant, escapeText(runId), escapeText(callId))]);
      return rowsOf<CallColumns & WithRun & WithThread>(results).map(fromCallColumns)[0];
    },
    listCalls(tenant, query, cut) {
      const joined = `${RUN_OF_CALL} ${threadOfRow("calls")}`;
      const where = whereCalls(tenant, query);
      const list = { columns: CALL_COLUMNS, table: "calls", joined, where, order: "calls.key" };
      return listRows<CallColumns & WithRun & WithThread, CallRow>(ask, list, cut, fromCallColumns);
    },
    async loadDecision(tenant, runId, callId, suspension) {
      if (!Number.isSafeInteger(suspension)) return undefined;
      const results = await ask([SELECT_DECISION(tenant, escapeText(runId), escapeText(callId), suspension)]);
      return rowsOf<DecisionColumns & WithRun>(results).map(fromDecisionColumns)[0]?.decision;
    },
    readInbox: (tenant, threadId, runId) => readInbox(ask, tenant, threadId, runId),
    readSegments: (tenant, runId, afterSeq, limit) => readSegments(ask, tenant, runId, afterSeq, limit),
    async lastSeqOfEpoch(tenant, runId, epoch) {
      const bound = Number.isNaN(epoch) ? -1 : floorBound(epoch);
      const results = await ask([SELECT_LAST_SEQ(tenant, escapeText(runId), bound)]);
      return rowsOf<{ readonly last_seq: number }>(results)[0]?.last_seq ?? 0;
    },
    listEntries(tenant, query, cut) {
      const columns = `threads.thread_id, ${ENTRY_COLUMNS}`;
      const where = whereEntries(tenant, query);
      const list = { columns, table: "entries", joined: threadOfRow("entries"), where, order: "entries.key" };
      return listRows<EntryColumns & WithThread, EntryRow>(ask, list, cut, fromEntryColumns);
    },
  };
}

const OPEN_RUNS =
  "select open_run_id from threads where md5(tenant) = md5($1) and tenant is not distinct from $1 and open_run_id is not null";

/** Each list goes by one index; whatever else is asked for is a filter that no other index answers. */
function whereRuns(tenant: string, query: RunQuery): Where {
  const { thread_id, parent_run_id, status } = query;
  const isOpen = status !== undefined && status !== "done";
  const isWhole = thread_id === undefined && parent_run_id === undefined;
  const ofTenant = isWhole && isOpen ? "runs.tenant = $" : isWhole ? OF_TENANT("runs") : IN_TENANT("runs");
  return (
    new Where()
      .and(ofTenant, tenant)
      .ofThread("runs.thread_key", tenant, idOf(thread_id))
      .andText("md5(runs.tenant || ' ' || parent_run_id) = md5($1 || ' ' || $) and parent_run_id = $", parent_run_id)
      .andText("agent_id = $", query.agent_id)
      .andText("status = $", status)
      // Those that are open are found by their threads.
      .andIf(isOpen, `runs.run_id = any(array(${OPEN_RUNS}))`)
      .andText("origin = $", query.origin)
      .andText("termination_code = $", query.termination_code)
      .and("runs.created_at >= $::float8", query.created_at_from)
      .and("runs.created_at <= $::float8", query.created_at_to)
      .and("runs.updated_at >= $::float8", query.updated_at_from)
      .and("runs.updated_at <= $::float8", query.updated_at_to)
  );
}

function whereCalls(tenant: string, { thread_id, run_id, status }: CallQuery): Where {
  const isWhole = thread_id === undefined && run_id === undefined;
  return new Where()
    .and(isWhole ? OF_TENANT("calls") : IN_TENANT("calls"), tenant)
    .ofThread("calls.thread_key", tenant, idOf(thread_id))
    .andText("calls.run_key = (select key from runs where tenant = $1 and run_id = $)", run_id)
    .andText("calls.status = $", status);
}

function whereEntries(tenant: string, { thread_id, run_id, status }: EntryQuery): Where {
  const isWhole = thread_id === undefined && run_id === undefined;
  const isFew = isWhole && status !== undefined && status !== "accepted";
  const ofTenant = isFew ? `md5(entries.tenant) = md5($) and ${IN_TENANT("entries")}` : "entries.tenant = $";
  return (
    new Where()
      .and(isWhole ? ofTenant : IN_TENANT("entries"), tenant)
      .ofThread("(entries.thread_key + 0)", tenant, idOf(thread_id))
      .andText("entries.run_id = $", run_id)
      .andText("entries.status = $", status)
      // Said aloud, so that Postgres sees that the index on these holds all of them.
      .andIf(isFew, "entries.status <> 'accepted'")
  );
}

/** As the index says it that lists the rows of a tenant. */
const OF_TENANT = (table: string): string => `(${table}.tenant || '') = $`;

/** Where another index finds the rows. */
const IN_TENANT = (table: string): string => `${table}.tenant is not distinct from $`;

function idOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : storedId(id);
}
