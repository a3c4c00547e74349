import { compareIds, type TenantThread } from "@reprise/contracts";
import type { Cut, RowPage, RowReader } from "../../shell/row-reader.ts";
import { mergeRows } from "./merge-rows.ts";
import type { Partition, Partitions } from "./partition.ts";
import type { RunPlaces } from "./run-places.ts";

/** The reads of a partitioned store: of a thread or a run in its database, of a tenant in all of them. */
export function createPartitionedReader(partitions: Partitions, places: RunPlaces): RowReader {
  const ofThread = (tenant: string, threadId: string): RowReader =>
    readerOf(partitions.at(places.placeOfThread(tenant, threadId)));
  const ofRun = async (tenant: string, runId: string): Promise<RowReader> =>
    readerOf(await places.locate(tenant, runId));

  /** A list of a thread, of a run, or of everything that a tenant has. */
  async function list<Row>(
    tenant: string,
    query: { readonly thread_id?: string; readonly run_id?: string },
    cut: Cut,
    {
      read,
      compare,
    }: {
      readonly read: (reader: RowReader, part: Cut) => Promise<RowPage<Row>>;
      readonly compare: (one: Row, other: Row) => number;
    },
  ): Promise<RowPage<Row>> {
    if (query.thread_id !== undefined) return read(ofThread(tenant, query.thread_id), cut);
    if (query.run_id !== undefined) return read(await ofRun(tenant, query.run_id), cut);
    const lists = partitions.all.map((partition) => (part: Cut) => read(readerOf(partition), part));
    return mergeRows(lists, compare, cut);
  }

  return {
    loadThread: (tenant, threadId) => ofThread(tenant, threadId).loadThread(tenant, threadId),
    async pageThreads(after, limit) {
      const pages = await Promise.all(partitions.all.map((partition) => readerOf(partition).pageThreads(after, limit)));
      return pages.flat().sort(byName).slice(0, limit);
    },
    listThreads: (tenant, query, cut) =>
      list(tenant, {}, cut, {
        read: (reader, part) => reader.listThreads(tenant, query, part),
        compare: (one, other) => other.created_at - one.created_at,
      }),
    readMessages: (tenant, threadId, selection) => ofThread(tenant, threadId).readMessages(tenant, threadId, selection),
    loadSnapshot: (tenant, threadId, version) => ofThread(tenant, threadId).loadSnapshot(tenant, threadId, version),
    readPatches: (tenant, threadId, range) => ofThread(tenant, threadId).readPatches(tenant, threadId, range),
    readCommits: (tenant, threadId, range) => ofThread(tenant, threadId).readCommits(tenant, threadId, range),
    async loadRun(tenant, runId) {
      const run = await places.ofRun(tenant, runId, (partition) => readerOf(partition).loadRun(tenant, runId));
      if (run !== undefined) places.remember(tenant, runId, run.record.thread_id);
      return run;
    },
    listRuns: (tenant, query, cut) =>
      list(tenant, query, cut, {
        read: (reader, part) => reader.listRuns(tenant, query, part),
        compare: (one, other) => other.created_at - one.created_at,
      }),
    async readCalls(tenant, of) {
      const reader = "run_id" in of ? await ofRun(tenant, of.run_id) : ofThread(tenant, of.thread_id);
      return reader.readCalls(tenant, of);
    },
    listSuspended: (tenant, query, cut) =>
      list(tenant, query, cut, {
        read: (reader, part) => reader.listSuspended(tenant, query, part),
        compare: (one, other) => one.updated_at - other.updated_at,
      }),
    async listOpenRuns(tenant) {
      const runs = await Promise.all(partitions.all.map((partition) => readerOf(partition).listOpenRuns(tenant)));
      return runs.flat().sort((one, other) => one.record.created_at - other.record.created_at);
    },
    loadDecision: async (tenant, runId, callId, suspension) =>
      (await ofRun(tenant, runId)).loadDecision(tenant, runId, callId, suspension),
    readInbox: (tenant, threadId, runId) => ofThread(tenant, threadId).readInbox(tenant, threadId, runId),
    readEvents: async (tenant, runId, afterSeq, limit) =>
      (await ofRun(tenant, runId)).readEvents(tenant, runId, afterSeq, limit),
    lastSeqOfEpoch: async (tenant, runId, epoch) => (await ofRun(tenant, runId)).lastSeqOfEpoch(tenant, runId, epoch),
    listEntries: (tenant, query, cut) =>
      list(tenant, query, cut, {
        read: (reader, part) => reader.listEntries(tenant, query, part),
        compare: (one, other) => one.entry.created_at - other.entry.created_at,
      }),
  };
}

function readerOf({ driver }: Partition): RowReader {
  return driver.reader;
}

/** As each database has them. */
function byName(one: TenantThread, other: TenantThread): number {
  return compareIds(one.tenant, other.tenant) || compareIds(one.thread.thread_id, other.thread.thread_id);
}
