import { RepriseError, type RunReader } from "@reprise/contracts";
import { textsOf } from "../codec/message-texts.ts";
import { openStoredMessage, openStoredSegment } from "../codec/open-changeset.ts";
import type { ThreadGuard } from "./damage.ts";
import type { EntryOpener } from "./open-entries.ts";
import { cutOf, toPage } from "./page.ts";
import type { RowReader, SegmentWithMessages } from "./row-reader.ts";

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReader(
  tenant: string,
  reader: RowReader,
  { guard, opener }: { readonly guard: ThreadGuard; readonly opener: EntryOpener },
): RunReader {
  const readEvents = async ({ thread_id, segment, messages }: SegmentWithMessages, afterSeq: number) =>
    guard(thread_id, async () => {
      const events = openStoredSegment(segment, thread_id, textsOf(messages.map(openStoredMessage)));
      return { epoch: segment.epoch, events: events.slice(Math.max(afterSeq - segment.first_seq + 1, 0)) };
    });
  return {
    loadRun: (runId) => reader.loadRun(tenant, runId),
    async listRuns(query = {}) {
      const cut = cutOf(query);
      return toPage(await reader.listRuns(tenant, query, cut), cut, (record) => record);
    },
    loadCall: (runId, callId) => reader.loadCall(tenant, runId, callId),
    async listCalls(query = {}) {
      const cut = cutOf(query);
      return toPage(await reader.listCalls(tenant, query, cut), cut, (record) => record);
    },
    loadDecision: (runId, callId, suspension) => reader.loadDecision(tenant, runId, callId, suspension),
    async readEvents(runId, afterSeq, limit) {
      const segments = await reader.readSegments(tenant, runId, afterSeq, limit);
      const follows = (segments[0]?.segment.first_seq ?? Number.POSITIVE_INFINITY) <= afterSeq + 1;
      if (!follows) await assertNothingGone(reader, tenant, runId, afterSeq);
      return Promise.all(segments.map((segment) => readEvents(segment, afterSeq)));
    },
    lastSeqOfEpoch: (runId, epoch) => reader.lastSeqOfEpoch(tenant, runId, epoch),
    async listEntries(query = {}) {
      const cut = cutOf(query);
      const { rows, total } = await reader.listEntries(tenant, query, cut);
      return toPage({ rows: await Promise.all(rows.map(opener.openEntry)), total }, cut, (entry) => entry);
    },
  };
}

/** History is cut between runs: the events of a run are all there, or gone but for what told of its end later. */
async function assertNothingGone(reader: RowReader, tenant: string, runId: string, afterSeq: number): Promise<void> {
  const run = await reader.loadRun(tenant, runId);
  if (run === undefined || !(run.last_seq > afterSeq)) return;
  const pruned = (await reader.loadThread(tenant, run.thread_id))?.thread.pruned_version ?? 0;
  if (pruned <= run.base_version) return;
  const message = `The events of run ${runId} were pruned.`;
  throw new RepriseError("VERSION_GONE", message, { details: { run_id: runId } });
}
