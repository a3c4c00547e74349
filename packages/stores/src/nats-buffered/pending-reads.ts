import { fromRunColumns, toRunColumns } from "../codec/columns/run-columns.ts";
import { storeText } from "../codec/stored-text.ts";
import type { RowReader, SegmentWithMessages } from "../shell/row-reader.ts";
import type { BufferedThreads } from "./buffered-threads.ts";
import type { PendingCommit } from "./pending-commits.ts";

/**
 * The reads of those who follow a run in its owner's process, without anything being stored for them: what they miss in the
 * database is what waits. Were it stored for each of them, they would hear of it, look again, and so on to the end of the run.
 */
export function createPendingReads(
  inner: RowReader,
  threads: BufferedThreads,
): Pick<RowReader, "loadRun" | "readSegments" | "lastSeqOfEpoch"> {
  /** What waits of a run, as long as its claim is the one under which it was written. */
  const pendingOf = async (tenant: string, runId: string): Promise<readonly PendingCommit[]> => {
    const pending = threads.pendingOf(tenant, runId);
    const [first] = pending;
    if (first === undefined) return [];
    const head = await inner.loadThread(tenant, first.changeset.thread_id);
    if (head?.thread.claim?.epoch === first.epoch) return pending;
    // Somebody took the run over. Storing it fails, and then it is forgotten here.
    await threads.settle((buffer) => buffer.isOf(tenant) && buffer.pending.hasRun(runId));
    return [];
  };
  return {
    async loadRun(tenant, runId) {
      const pending = await pendingOf(tenant, runId);
      const record = pending.flatMap(({ changeset }) => changeset.runs).findLast(({ run_id }) => run_id === runId);
      if (record === undefined) return inner.loadRun(tenant, runId);
      return fromRunColumns({ ...toRunColumns(record), thread_id: record.thread_id });
    },
    async readSegments(tenant, runId, afterSeq, limit) {
      const pending = await pendingOf(tenant, runId);
      const stored = await inner.readSegments(tenant, runId, afterSeq, limit);
      const last = stored.at(-1)?.segment.first_seq ?? 0;
      const waiting = pending.flatMap((commit) => toSegments(commit, runId));
      const later = waiting.filter(({ segment, last_seq }) => segment.first_seq > last && last_seq > afterSeq);
      return [...stored, ...later].slice(0, limit);
    },
    async lastSeqOfEpoch(tenant, runId, epoch) {
      const pending = (await pendingOf(tenant, runId)).filter((commit) => commit.epoch <= epoch);
      const waiting = pending.flatMap((commit) => toSegments(commit, runId)).at(-1)?.last_seq ?? 0;
      return Math.max(waiting, await inner.lastSeqOfEpoch(tenant, runId, epoch));
    },
  };
}

/** The segments of a commit as the database would give them back. */
function toSegments(
  { changeset, epoch }: PendingCommit,
  runId: string,
): readonly (SegmentWithMessages & { readonly last_seq: number })[] {
  const { thread_id, run_id } = changeset;
  const messages = changeset.messages.map(({ id, body }) => ({ id, run_id, text: storeText(body) }));
  return changeset.segments
    .filter((segment) => segment.run_id === runId)
    .map(({ first_seq, last_seq, body }) => {
      const segment = { run_id: runId, epoch, first_seq, text: storeText(body) };
      return { thread_id, segment, messages, last_seq };
    });
}
