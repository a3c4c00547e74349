import type { DecisionKey, ToolCallRecord } from "@reprise/contracts";
import { type DecisionColumns, fromDecisionColumns } from "../codec/columns/decision-columns.ts";
import { type EntryColumns, fromEntryColumns } from "../codec/columns/entry-columns.ts";
import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import { callIdKey } from "../codec/id-key.ts";
import type { CallKey } from "../kernel/demand.ts";
import type { CallRow, DecisionRow, EntryRow, RunRow } from "../kernel/rows.ts";
import type { Connection } from "./connection.ts";
import { selectCalls } from "./select-commits.ts";

type WithThread = { readonly thread_id: string };
type WithRun = { readonly run_id: string };

export const ENTRY_COLUMNS =
  "entries.*, threads.thread_id from entries join threads on threads.key = entries.thread_key";
export const RUN_COLUMNS =
  "run_records.*, threads.thread_id from run_records join threads on threads.key = run_records.thread_key";

/** A run and the number of its thread. */
export interface FoundRun extends RunRow {
  readonly thread_key: number;
}

export type RunColumnsOfThread = RunColumns & WithThread & { readonly thread_key: number };

function toFoundRun(columns: RunColumnsOfThread): FoundRun {
  return { ...fromRunColumns(columns), thread_key: columns.thread_key };
}

export function selectRun(connection: Connection, tenant: string, runId: string): FoundRun | undefined {
  const columns = connection.get<RunColumnsOfThread>(
    `select ${RUN_COLUMNS} where run_records.tenant = :tenant and run_records.run_id = :run_id`,
    { tenant, run_id: escapeText(runId) },
  );
  return columns === undefined ? undefined : toFoundRun(columns);
}

/** A call that is over, from the commits of its run. The ids of the thread say at once that there is none. */
export function selectEndedCall(connection: Connection, run: FoundRun, key: CallKey): CallRow | undefined {
  const found = connection.get<{ readonly number: number }>(
    "select number from thread_ids where thread_key = :key and kind = 'call' and id = :id",
    { key: run.thread_key, id: callIdKey(key) },
  );
  if (found === undefined) return undefined;
  const range = { first_version: found.number, last_version: run.last_version };
  let last: ToolCallRecord | undefined;
  for (const row of selectCalls(connection, run.thread_key, range)) {
    last = row.open().find((call) => call.run_id === key.run_id && call.call_id === key.call_id) ?? last;
  }
  return last;
}

const DECISIONS = "select * from decisions where tenant = :tenant and run_id = :run_id";

export function selectDecision(connection: Connection, tenant: string, key: DecisionKey): DecisionRow | undefined {
  const columns = connection.get<DecisionColumns & WithRun>(
    `${DECISIONS} and call_id = :call_id and suspension = :suspension`,
    { tenant, run_id: escapeText(key.run_id), call_id: escapeText(key.call_id), suspension: key.suspension },
  );
  return columns === undefined ? undefined : fromDecisionColumns(columns);
}

/** Decisions on a run that no commit has used, in order of arrival. */
export function selectPendingDecisions(connection: Connection, tenant: string, runId: string): readonly DecisionRow[] {
  return connection
    .all<DecisionColumns & WithRun>(`${DECISIONS} and is_pending = 1 order by key`, {
      tenant,
      run_id: escapeText(runId),
    })
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
