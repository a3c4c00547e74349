import type { CallQuery, EntryQuery, RunQuery } from "@reprise/contracts";
import { type DecisionColumns, fromDecisionColumns } from "../codec/columns/decision-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import { idKey } from "../codec/id-key.ts";
import { damaged } from "../codec/stored-text.ts";
import type { CallRow, EntryRow, RunRow } from "../kernel/rows.ts";
import type { InboxRows, RowReader } from "../shell/row-reader.ts";
import { DECISION_COLUMNS, ENTRY_COLUMNS, RUN_COLUMNS, threadOfRow } from "./demand-statements.ts";
import { storedId } from "./hostile-values.ts";
import { listRows } from "./list-rows.ts";
import type { ThreadReads } from "./read-threads.ts";
import { type Ask, selectCalls, selectEvents, selectLastSeq } from "./select-commits.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";
import { eachOf, THREAD_NUMBER } from "./table.ts";
import { Where } from "./where.ts";

const OF_RUN = "tenant = $1 and run_id = $3 and is_pending = 1";
const IS_CANCEL = `thread_key = ${THREAD_NUMBER} and place in ('wake', 'claimed')
  and kind = 'cancel' and run_id is not distinct from $3`;
const IS_STEERING = `thread_key = ${THREAD_NUMBER} and place = 'run' and busy_policy = 'steer'`;

/** An owner asks at every turn, and nearly always nothing came. */
const HAS_MAIL = prepared(
  `select exists (select from decisions where ${OF_RUN}) or exists (select from entries where ${IS_CANCEL})
     or exists (select from entries where ${IS_STEERING}) as has_mail`,
);

const SELECT_DECISIONS = prepared(
  `select ${DECISION_COLUMNS} from decisions
   where ${OF_RUN} and thread_key is not distinct from ${THREAD_NUMBER} order by key`,
);

const SELECT_CANCEL = prepared(
  `select $2 as thread_id, ${ENTRY_COLUMNS} from entries where ${IS_CANCEL} order by arrival limit 1`,
);

const SELECT_STEERING = prepared(
  `select $2 as thread_id, ${ENTRY_COLUMNS} from entries where ${IS_STEERING} order by priority desc, arrival`,
);

type EntryRecord = EntryColumns & { readonly thread_id: string };

/** What came for a run while its owner was busy. */
async function readInbox(ask: Ask, tenant: string, threadId: string, runId: string): Promise<InboxRows> {
  const thread = [tenant, storedId(threadId)] as const;
  const run = escapeText(runId);
  const [look] = rowsOf<{ readonly has_mail: boolean }>(await ask([HAS_MAIL(...thread, run)]));
  if (look?.has_mail !== true) return { decisions: [], cancel: undefined, steering: [] };
  const results = await ask([
    SELECT_DECISIONS(...thread, run),
    SELECT_CANCEL(...thread, run),
    SELECT_STEERING(...thread),
  ]);
  const decisions = rowsOf<DecisionColumns & { readonly run_id: string }>(results, 0).map(fromDecisionColumns);
  const [cancel] = rowsOf<EntryRecord>(results, 1).map(fromEntryColumns);
  const steering = rowsOf<EntryRecord>(results, 2).map(fromEntryColumns);
  return { decisions: decisions.map(({ decision }) => decision), cancel, steering };
}

type RunReads = Omit<RowReader, keyof ThreadReads>;
type WithThread = { readonly thread_id: string };
type WithRun = { readonly run_id: string };

type RunOfThread = RunColumns & WithThread;

const SELECT_RUN = prepared(
  `select ${RUN_COLUMNS} from run_records ${threadOfRow("run_records")}
   where run_records.tenant = $1 and run_records.run_id = $2`,
);

const OPEN_RUNS_OF_TENANT = "md5(threads.tenant) = md5($1) and threads.tenant is not distinct from $1";

const SELECT_OPEN_RUNS = prepared(
  `select ${RUN_COLUMNS} from threads ${eachOf(
    "run_records",
    "run_records.tenant = threads.tenant and run_records.run_id = threads.open_run_id",
  )} where ${OPEN_RUNS_OF_TENANT} and threads.open_run_id is not null order by run_records.key`,
);

/** The runs that hold suspended calls. */
const RUN_OF_CALL = eachOf(
  "run_records",
  "run_records.tenant = suspended_calls.tenant and run_records.run_id = suspended_calls.run_id",
);

const SELECT_DECISION = prepared(
  `select ${DECISION_COLUMNS} from decisions
   where tenant = $1 and run_id = $2 and call_key = $3 and suspension = $4::bigint`,
);

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReads(ask: Ask): RunReads {
  return {
    async loadRun(tenant, runId) {
      const results = await ask([SELECT_RUN(tenant, escapeText(runId))]);
      return rowsOf<RunOfThread>(results).map(fromRunColumns)[0];
    },
    listRuns(tenant, query, cut) {
      const where = whereRuns(tenant, query);
      const order = "run_records.created_at desc, run_records.key desc";
      const list = { columns: RUN_COLUMNS, table: "run_records", joined: threadOfRow("run_records"), where, order };
      return listRows<RunOfThread, RunRow["record"]>(ask, list, cut, (row) => fromRunColumns(row).record);
    },
    readCalls: (tenant, of) =>
      selectCalls(ask, "run_id" in of ? { tenant, ...of } : { tenant, thread_id: storedId(of.thread_id) }),
    listSuspended(tenant, query, cut) {
      const columns = `suspended_calls.call_id, ${RUN_COLUMNS}`;
      const joined = `${RUN_OF_CALL} ${threadOfRow("suspended_calls")}`;
      const where = whereSuspended(tenant, query);
      const list = { columns, table: "suspended_calls", joined, where, order: "suspended_calls.key" };
      return listRows<RunOfThread & { readonly call_id: string }, CallRow>(ask, list, cut, toSuspendedCall);
    },
    async listOpenRuns(tenant) {
      return rowsOf<RunOfThread>(await ask([SELECT_OPEN_RUNS(tenant)])).map(fromRunColumns);
    },
    async loadDecision(tenant, runId, callId, suspension) {
      if (!Number.isSafeInteger(suspension)) return undefined;
      const results = await ask([SELECT_DECISION(tenant, escapeText(runId), idKey(callId), suspension)]);
      return rowsOf<DecisionColumns & WithRun>(results).map(fromDecisionColumns)[0]?.decision;
    },
    readInbox: (tenant, threadId, runId) => readInbox(ask, tenant, threadId, runId),
    readEvents: (tenant, run_id, afterSeq, limit) => selectEvents(ask, { tenant, run_id }, { afterSeq, limit }),
    lastSeqOfEpoch: (tenant, runId, epoch) => selectLastSeq(ask, tenant, runId, epoch),
    listEntries(tenant, query, cut) {
      const columns = `threads.thread_id, ${ENTRY_COLUMNS}`;
      const where = whereEntries(tenant, query);
      const list = { columns, table: "entries", joined: threadOfRow("entries"), where, order: "entries.key" };
      return listRows<EntryColumns & WithThread, EntryRow>(ask, list, cut, fromEntryColumns);
    },
  };
}

/** A suspended call is in the row of its run. */
function toSuspendedCall(columns: RunOfThread & { readonly call_id: string }): CallRow {
  const call = fromRunColumns(columns).open_calls.find(({ call_id }) => idKey(call_id) === columns.call_id);
  if (call === undefined) throw damaged("run");
  return call;
}

const OPEN_RUNS = `select open_run_id from threads where ${OPEN_RUNS_OF_TENANT} and open_run_id is not null`;

/** Each list goes by one index; whatever else is asked for is a filter that no other index answers. */
function whereRuns(tenant: string, query: RunQuery): Where {
  const { thread_id, parent_run_id, status } = query;
  const isOpen = status !== undefined && status !== "done";
  const isWhole = thread_id === undefined && parent_run_id === undefined;
  const ofTenant =
    isWhole && isOpen ? "run_records.tenant = $" : isWhole ? OF_TENANT("run_records") : IN_TENANT("run_records");
  return (
    new Where()
      .and(ofTenant, tenant)
      .ofThread("run_records.thread_key", tenant, idOf(thread_id))
      .andText(
        "md5(run_records.tenant || ' ' || parent_run_id) = md5($1 || ' ' || $) and parent_run_id = $",
        parent_run_id,
      )
      .andText("agent_id = $", query.agent_id)
      .andText("status = $", status)
      // Those that are open are found by their threads.
      .andIf(isOpen, `run_records.run_id = any(array(${OPEN_RUNS}))`)
      .andText("origin = $", query.origin)
      .andText("termination_code = $", query.termination_code)
      .and("run_records.created_at >= $::float8", query.created_at_from)
      .and("run_records.created_at <= $::float8", query.created_at_to)
      .and("run_records.updated_at >= $::float8", query.updated_at_from)
      .and("run_records.updated_at <= $::float8", query.updated_at_to)
  );
}

function whereSuspended(tenant: string, { thread_id, run_id, pending_id }: Omit<CallQuery, "status">): Where {
  const isOfRun = run_id !== undefined;
  const isPending = pending_id !== undefined;
  const isWhole = thread_id === undefined && !isOfRun && !isPending;
  const ofTenant = isOfRun ? "suspended_calls.tenant = $" : (isWhole ? OF_TENANT : IN_TENANT)("suspended_calls");
  // A filter where another index finds the rows.
  const pendingKey =
    isOfRun || thread_id !== undefined ? "(suspended_calls.pending_key || '')" : "suspended_calls.pending_key";
  return new Where()
    .and(ofTenant, tenant)
    .andText("suspended_calls.run_id = $", run_id)
    .and(`${pendingKey} = $`, isPending ? idKey(pending_id) : undefined)
    .ofThread(isOfRun ? "(suspended_calls.thread_key + 0)" : "suspended_calls.thread_key", tenant, idOf(thread_id));
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
