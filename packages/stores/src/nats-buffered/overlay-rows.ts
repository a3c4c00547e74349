import { withCall } from "../kernel/apply-changeset.ts";
import type { ThreadRows } from "../kernel/demand.ts";
import type { EndedCall, RunRow } from "../kernel/rows.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { PendingCommit } from "./pending-commits.ts";

/**
 * The rows of a thread as they will be when what is pending is stored, as far as the rules look at them: digests and superseded
 * messages decide nothing. The commits follow each other and the thread's version.
 */
export function overlayRows(rows: ThreadRows, pending: readonly PendingCommit[]): ThreadRows {
  const last = pending.at(-1);
  if (rows.thread === undefined || last === undefined) return rows;
  const changesets = pending.map(({ changeset }) => changeset);
  const messages = changesets.flatMap(({ message_ids }) => message_ids);
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
    runs: rows.runs.map((row) => overlayRun(row, pending)),
    calls: overlayCalls(rows.calls, changesets),
  };
}

/** A run's row as it will be. What is pending never brings a run of its own. */
export function overlayRun(row: RunRow, pending: readonly PendingCommit[]): RunRow {
  let run = row;
  for (const commit of pending) run = overlayCommit(run, commit);
  return run;
}

function overlayCommit(row: RunRow, { changeset, version }: PendingCommit): RunRow {
  const { run_id } = row.record;
  const record = changeset.runs.findLast((run) => run.run_id === run_id);
  const segment = changeset.segments.find((part) => part.run_id === run_id);
  const calls = changeset.calls.filter((call) => call.run_id === run_id);
  if (record === undefined && segment === undefined && calls.length === 0) return row;
  return {
    ...row,
    record: record ?? row.record,
    last_seq: segment?.last_seq ?? row.last_seq,
    last_version: version,
    open_calls: calls.reduce(withCall, row.open_calls),
  };
}

function overlayCalls(rows: readonly EndedCall[], changesets: readonly SealedChangeset[]): readonly EndedCall[] {
  const calls = new Map<string, EndedCall>();
  for (const call of [...rows, ...changesets.flatMap((changeset) => changeset.calls)]) {
    calls.set(JSON.stringify([call.run_id, call.call_id]), call);
  }
  return [...calls.values()];
}
