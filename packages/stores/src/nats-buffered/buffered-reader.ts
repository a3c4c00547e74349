import type { RowReader } from "../shell/row-reader.ts";
import type { BufferedThreads } from "./buffered-threads.ts";
import { createPendingReads } from "./pending-reads.ts";

/**
 * The reads of the database, most of them after what this process has waiting of it is stored: whoever wrote sees what it wrote.
 * What never waits, as the mailbox and decisions, is read as it is: an owner asks for it at every turn.
 */
export function createBufferedReader(inner: RowReader, threads: BufferedThreads): RowReader {
  const ofThread = (tenant: string, threadId: string) => threads.settle((buffer) => buffer.isOf(tenant, threadId));
  const ofRun = (tenant: string, runId: string) =>
    threads.settle((buffer) => buffer.isOf(tenant) && buffer.pending.hasRun(runId));
  const asAsked = (tenant: string, { thread_id, run_id }: { readonly thread_id?: string; readonly run_id?: string }) =>
    threads.settle(
      (buffer) => buffer.isOf(tenant, thread_id) && (run_id === undefined || buffer.pending.hasRun(run_id)),
    );
  const after = <Arguments extends readonly [string, string, ...never[]], Result>(
    settle: (tenant: string, id: string) => Promise<void>,
    read: (...asked: Arguments) => Promise<Result>,
  ): ((...asked: Arguments) => Promise<Result>) => {
    return async (...asked) => {
      await settle(asked[0], asked[1]);
      return read(...asked);
    };
  };
  return {
    ...inner,
    loadThread: after(ofThread, inner.loadThread),
    listMessages: after(ofThread, inner.listMessages),
    readMessages: after(ofThread, inner.readMessages),
    loadSnapshot: after(ofThread, inner.loadSnapshot),
    readPatches: after(ofThread, inner.readPatches),
    readChangesets: after(ofThread, inner.readChangesets),
    ...createPendingReads(inner, threads),
    loadCall: after(ofRun, inner.loadCall),
    async listThreads(tenant, query, cut) {
      await asAsked(tenant, {});
      return inner.listThreads(tenant, query, cut);
    },
    async listRuns(tenant, query, cut) {
      await asAsked(tenant, query);
      return inner.listRuns(tenant, query, cut);
    },
    async listCalls(tenant, query, cut) {
      await asAsked(tenant, query);
      return inner.listCalls(tenant, query, cut);
    },
  };
}
