import type { CallQuery, EntryQuery, RunQuery } from "@reprise/contracts";
import { type CallColumns, fromCallColumns } from "../codec/columns/call-columns.ts";
import { type DecisionColumns, fromDecisionColumns } from "../codec/columns/decision-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { CallRow, EntryRow, RunRow } from "../kernel/rows.ts";
import type { RowReader } from "../shell/row-reader.ts";
import { CALL_COLUMNS, DECISION_COLUMNS, ENTRY_COLUMNS, RUN_COLUMNS } from "./demand-statements.ts";
import { floorBound, storedId } from "./hostile-values.ts";
import { listRows } from "./list-rows.ts";
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

const SELECT_RUN = prepared(`select ${RUN_COLUMNS} from runs where tenant = $1 and run_id = $2`);

const SELECT_CALL = prepared(`select ${CALL_COLUMNS} from calls where tenant = $1 and run_id = $2 and call_id = $3`);

const SELECT_DECISION = prepared(
  `select ${DECISION_COLUMNS} from decisions
   where tenant = $1 and run_id = $2 and call_id = $3 and suspension = $4::bigint`,
);

const SELECT_LAST_SEQ = prepared(
  `select last_seq from segments where tenant = $1 and run_id = $2 and epoch <= $3::bigint
   order by last_seq desc limit 1`,
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
      const list = { columns: RUN_COLUMNS, table: "runs", where, order: "created_at desc, key desc" };
      return listRows<RunColumns & WithThread, RunRow["record"]>(ask, list, cut, fromRunColumns);
    },
    async loadCall(tenant, runId, callId) {
      const results = await ask([SELECT_CALL(tenant, escapeText(runId), escapeText(callId))]);
      return rowsOf<CallColumns & WithRun & WithThread>(results).map(fromCallColumns)[0];
    },
    listCalls(tenant, query, cut) {
      const list = { columns: CALL_COLUMNS, table: "calls", where: whereCalls(tenant, query), order: "key" };
      return listRows<CallColumns & WithRun & WithThread, CallRow>(ask, list, cut, fromCallColumns);
    },
    async loadDecision(tenant, runId, callId, suspension) {
      if (!Number.isSafeInteger(suspension)) return undefined;
      const results = await ask([SELECT_DECISION(tenant, escapeText(runId), escapeText(callId), suspension)]);
      return rowsOf<DecisionColumns & WithRun>(results).map(fromDecisionColumns)[0]?.decision;
    },
    readInbox: (tenant, threadId, runId) => readInbox(ask, tenant, threadId, runId),
    readSegments: (tenant, runId, afterSeq) => readSegments(ask, tenant, runId, afterSeq),
    async lastSeqOfEpoch(tenant, runId, epoch) {
      const bound = Number.isNaN(epoch) ? -1 : floorBound(epoch);
      const results = await ask([SELECT_LAST_SEQ(tenant, escapeText(runId), bound)]);
      return rowsOf<{ readonly last_seq: number }>(results)[0]?.last_seq ?? 0;
    },
    listEntries(tenant, query, cut) {
      const list = { columns: ENTRY_COLUMNS, table: "entries", where: whereEntries(tenant, query), order: "key" };
      return listRows<EntryColumns & WithThread, EntryRow>(ask, list, cut, fromEntryColumns);
    },
  };
}

function whereRuns(tenant: string, query: RunQuery): Where {
  return (
    new Where()
      .and("tenant = $", tenant)
      .and("thread_id = $", idOf(query.thread_id))
      .andText("md5(parent_run_id) = md5($) and parent_run_id = $", query.parent_run_id)
      .andText("agent_id = $", query.agent_id)
      .andText("status = $", query.status)
      // Said aloud, so that Postgres sees that the index on open runs holds all of them.
      .andIf(query.status !== undefined && query.status !== "done", "status <> 'done'")
      .andText("origin = $", query.origin)
      .andText("termination_code = $", query.termination_code)
      .and("created_at >= $::float8", query.created_at_from)
      .and("created_at <= $::float8", query.created_at_to)
      .and("updated_at >= $::float8", query.updated_at_from)
      .and("updated_at <= $::float8", query.updated_at_to)
  );
}

function whereCalls(tenant: string, query: CallQuery): Where {
  return new Where()
    .and("tenant = $", tenant)
    .and("thread_id = $", idOf(query.thread_id))
    .andText("run_id = $", query.run_id)
    .andText("status = $", query.status);
}

function whereEntries(tenant: string, query: EntryQuery): Where {
  return (
    new Where()
      .and("tenant = $", tenant)
      .and("thread_id = $", idOf(query.thread_id))
      .andText("run_id = $", query.run_id)
      .andText("status = $", query.status)
      // As above.
      .andIf(query.status !== undefined && query.status !== "accepted", "status <> 'accepted'")
  );
}

function idOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : storedId(id);
}
