import type { SealedChangeset } from "../codec/sealed-changeset.ts";
import type { ThreadRows } from "../kernel/demand.ts";
import type { CallRow, RunRow } from "../kernel/rows.ts";
import type { PendingCommit } from "./pending-commits.ts";

/** The rows of a thread as they will be when what is pending is stored. The commits follow each other and the thread's version. */
export function overlayRows(rows: ThreadRows, pending: readonly PendingCommit[]): ThreadRows {
  const last = pending.at(-1);
  if (rows.thread === undefined || last === undefined) return rows;
  const changesets = pending.map(({ changeset }) => changeset);
  const messages = changesets.flatMap((changeset) => changeset.messages.map(({ id }) => id));
  return {
    ...rows,
    thread: {
      ...rows.thread,
      thread: { ...rows.thread.thread, version: last.version },
      messages: rows.thread.messages + messages.length,
    },
    known_versions: new Map([
      ...rows.known_versions,
      ...pending.map(({ changeset, version }) => [changeset.changeset_id, version] as const),
    ]),
    message_ids: [...rows.message_ids, ...messages],
    runs: rows.runs.map((row) => overlayRun(row, changesets)),
    calls: overlayCalls(rows.calls, changesets),
  };
}

/** What is pending never brings a run of its own. */
function overlayRun(row: RunRow, changesets: readonly SealedChangeset[]): RunRow {
  const { run_id } = row.record;
  const record = changesets.flatMap(({ runs }) => runs).findLast((run) => run.run_id === run_id);
  const segment = changesets.flatMap(({ segments }) => segments).findLast((part) => part.run_id === run_id);
  return { record: record ?? row.record, last_seq: segment?.last_seq ?? row.last_seq };
}

function overlayCalls(rows: readonly CallRow[], changesets: readonly SealedChangeset[]): readonly CallRow[] {
  const calls = new Map<string, CallRow>();
  for (const call of [...rows, ...changesets.flatMap((changeset) => changeset.calls)]) {
    calls.set(JSON.stringify([call.run_id, call.call_id]), call);
  }
  return [...calls.values()];
}
