import type { DecisionKey } from "@reprise/contracts";
import { type CallColumns, fromCallColumns } from "../codec/columns/call-columns.ts";
import { type DecisionColumns, fromDecisionColumns } from "../codec/columns/decision-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { CallKey } from "../kernel/demand.ts";
import type { CallRow, DecisionRow, EntryRow, RunRow } from "../kernel/rows.ts";
import type { Connection } from "./connection.ts";

type WithThread = { readonly thread_id: string };
type WithRun = { readonly run_id: string };

export const ENTRY_COLUMNS =
  "entries.*, threads.thread_id from entries join threads on threads.key = entries.thread_key";
export const RUN_COLUMNS = "runs.*, threads.thread_id from runs join threads on threads.key = runs.thread_key";
export const CALL_COLUMNS = `calls.*, runs.run_id, threads.thread_id
  from calls join runs on runs.key = calls.run_key join threads on threads.key = calls.thread_key`;

/** A run by its id, with the last `seq` of its journal, as columns. */
export type RunWithJournal = RunColumns & WithThread & { readonly key: number; readonly last_seq: number | null };

export function selectRunColumns(connection: Connection, tenant: string, runId: string): RunWithJournal | undefined {
  return connection.get<RunWithJournal>(
    `select (select max(last_seq) from segments where run_key = runs.key) as last_seq, ${RUN_COLUMNS}
     where runs.tenant = :tenant and runs.run_id = :run_id`,
    { tenant, run_id: escapeText(runId) },
  );
}

export function toRunRow(columns: RunWithJournal): RunRow {
  return { record: fromRunColumns(columns), last_seq: columns.last_seq ?? 0 };
}

export function selectRun(connection: Connection, tenant: string, runId: string): RunRow | undefined {
  const columns = selectRunColumns(connection, tenant, runId);
  return columns === undefined ? undefined : toRunRow(columns);
}

export function selectCall(connection: Connection, tenant: string, key: CallKey): CallRow | undefined {
  const columns = connection.get<CallColumns & WithRun & WithThread>(
    `select ${CALL_COLUMNS} where runs.tenant = :tenant and runs.run_id = :run_id and calls.call_id = :call_id`,
    { tenant, run_id: escapeText(key.run_id), call_id: escapeText(key.call_id) },
  );
  return columns === undefined ? undefined : fromCallColumns(columns);
}

export function selectDecision(connection: Connection, tenant: string, key: DecisionKey): DecisionRow | undefined {
  const columns = connection.get<DecisionColumns & WithRun>(
    `select decisions.*, runs.run_id from decisions join runs on runs.key = decisions.run_key
     where runs.tenant = :tenant and runs.run_id = :run_id and call_id = :call_id and suspension = :suspension`,
    { tenant, run_id: escapeText(key.run_id), call_id: escapeText(key.call_id), suspension: key.suspension },
  );
  return columns === undefined ? undefined : fromDecisionColumns(columns);
}

/** Decisions on a run that nobody has used, in order of arrival. */
export function selectPendingDecisions(connection: Connection, tenant: string, runId: string): readonly DecisionRow[] {
  return connection
    .all<DecisionColumns & WithRun>(
      `select decisions.*, runs.run_id from decisions join runs on runs.key = decisions.run_key
       where runs.tenant = :tenant and runs.run_id = :run_id and is_pending = 1 order by decisions.key`,
      { tenant, run_id: escapeText(runId) },
    )
    .map(fromDecisionColumns);
}

/** Entries by a condition on their columns and what else follows it. */
export function selectEntries(
  connection: Connection,
  condition: string,
  parameters: Readonly<Record<string, string | number | null>>,
): readonly EntryRow[] {
  const columns = connection.all<EntryColumns & WithThread>(`select ${ENTRY_COLUMNS} where ${condition}`, parameters);
  return columns.map(fromEntryColumns);
}
