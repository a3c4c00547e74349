import { RepriseError } from "@reprise/contracts";
import { toCommitColumns } from "../codec/columns/commit-columns.ts";
import { toEventRows } from "../shell/commit-rows.ts";
import type { EventRow, RowReader } from "../shell/row-reader.ts";
import type { BufferedThreads } from "./buffered-threads.ts";
import { overlayRun } from "./overlay-rows.ts";
import type { PendingCommit } from "./pending-commits.ts";

/**
 * The reads of those who follow a run in its owner's process, without anything being stored for them: what they miss in the
 * database is what waits. Were it stored for each of them, they would hear of it, look again, and so on to the end of the run.
 */
export function createPendingReads(
  inner: RowReader,
  threads: BufferedThreads,
): Pick<RowReader, "loadRun" | "readEvents" | "lastSeqOfEpoch"> {
  /** What waits of a run, as long as its claim is the one under which it was written. */
  const pendingOf = async (tenant: string, runId: string): Promise<readonly PendingCommit[]> => {
    const pending = threads.pendingOf(tenant, runId);
    const [first] = pending;
    if (first === undefined) return [];
    const head = await inner.loadThread(tenant, first.changeset.thread_id);
    if (head?.thread.claim?.epoch === first.epoch) return pending;
    // Another process took the run over. Storing it fails, and then it is forgotten here.
    await threads.settle((buffer) => buffer.isOf(tenant) && buffer.pending.hasRun(runId));
    return [];
  };
  return {
    async loadRun(tenant, runId) {
      const pending = await pendingOf(tenant, runId);
      const row = await inner.loadRun(tenant, runId);
      // What waited when we looked may be stored by now.
      return (
        row &&
        overlayRun(
          row,
          pending.filter(({ version }) => version > row.last_version),
        )
      );
    },
    async readEvents(tenant, runId, afterSeq, limit) {
      const pending = await pendingOf(tenant, runId);
      const stored = await inner.readEvents(tenant, runId, afterSeq, limit);
      const last = stored.at(-1)?.first_seq ?? 0;
      const waiting = pending.filter((commit) => lastSeqOf(commit, runId) > afterSeq);
      const later = waiting.map((commit) => toEventRow(commit, runId)).filter(({ first_seq }) => first_seq > last);
      return [...stored, ...later].slice(0, limit);
    },
    async lastSeqOfEpoch(tenant, runId, epoch) {
      const pending = (await pendingOf(tenant, runId)).filter((commit) => commit.epoch <= epoch);
      const waiting = pending.map((commit) => lastSeqOf(commit, runId));
      return Math.max(0, ...waiting, await inner.lastSeqOfEpoch(tenant, runId, epoch));
    },
  };
}

/** The last event of a run in a commit; 0 when it has none. */
function lastSeqOf({ changeset }: PendingCommit, runId: string): number {
  return changeset.segments.find(({ run_id }) => run_id === runId)?.last_seq ?? 0;
}

/** The events of a commit as the database would give them back. */
function toEventRow({ changeset, version, epoch }: PendingCommit, runId: string): EventRow {
  const { thread_id } = changeset;
  const write = { write: "commit", version, first_position: 0, epoch, digest: "", changeset, new_calls: [] } as const;
  const columns = toCommitColumns(write).map((part) => ({ ...part, thread_id }));
  const [row] = toEventRows(columns, runId);
  if (row === undefined) throw new RepriseError("INTERNAL", "A sealed changeset has no parts.");
  return row;
}
