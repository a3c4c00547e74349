import type { RowReader } from "../shell/row-reader.ts";
import type { BufferedThreads } from "./buffered-threads.ts";
import { createPendingReads } from "./pending-reads.ts";

/**
 * The reads of the database. Most of them first store what this process has pending, so that a writer sees its own writes.
 * What never waits, as the mailbox, decisions and suspended calls, is read as it is: an owner asks for it at every turn.
 */
export function createBufferedReader(inner: RowReader, threads: BufferedThreads): RowReader {
  const ofThread = (tenant: string, threadId: string) => threads.settle((buffer) => buffer.isOf(tenant, threadId));
  const ofRun = (tenant: string, runId: string) =>
    threads.settle((buffer) => buffer.isOf(tenant) && buffer.pending.hasRun(runId));
  const ofTenant = (tenant: string) => threads.settle((buffer) => buffer.isOf(tenant));
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
    readMessages: after(ofThread, inner.readMessages),
    loadSnapshot: after(ofThread, inner.loadSnapshot),
    readPatches: after(ofThread, inner.readPatches),
    readCommits: after(ofThread, inner.readCommits),
    ...createPendingReads(inner, threads),
    async readCalls(tenant, of) {
      await ("run_id" in of ? ofRun(tenant, of.run_id) : ofThread(tenant, of.thread_id));
      return inner.readCalls(tenant, of);
    },
    async listThreads(tenant, query, cut) {
      await ofTenant(tenant);
      return inner.listThreads(tenant, query, cut);
    },
    async listRuns(tenant, query, cut) {
      await threads.settle((buffer) => buffer.isOf(tenant, query.thread_id));
      return inner.listRuns(tenant, query, cut);
    },
    async listOpenRuns(tenant) {
      await ofTenant(tenant);
      return inner.listOpenRuns(tenant);
    },
  };
}
