import {
  type CallQuery,
  invalidRequest,
  isTerminal,
  type Page,
  RepriseError,
  type RunReader,
  TOOL_CALL_TRANSITIONS,
  type ToolCallRecord,
  type ToolCallStatus,
} from "@reprise/contracts";
import { openEntry } from "../codec/columns/entry-columns.ts";
import type { ThreadGuard } from "./damage.ts";
import { cutOf, toPage } from "./page.ts";
import type { CallsRow, RowReader } from "./row-reader.ts";

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReader(tenant: string, reader: RowReader, guard: ThreadGuard): RunReader {
  return {
    loadRun: async (runId) => (await reader.loadRun(tenant, runId))?.record,
    async listRuns(query = {}) {
      const cut = cutOf(query);
      return toPage(await reader.listRuns(tenant, query, cut), cut);
    },
    async loadCall(runId, callId) {
      const run = await reader.loadRun(tenant, runId);
      const open = run?.open_calls.find(({ call_id }) => call_id === callId);
      if (run === undefined || open !== undefined) return open;
      const calls = await guard(run.record.thread_id, async () =>
        foldCalls(await reader.readCalls(tenant, { run_id: runId })),
      );
      return calls.find((call) => call.call_id === callId && call.run_id === runId);
    },
    listCalls: (query = {}) => listCalls(tenant, reader, query),
    loadDecision: (runId, callId, suspension) => reader.loadDecision(tenant, runId, callId, suspension),
    async readEvents(runId, afterSeq, limit) {
      const rows = await reader.readEvents(tenant, runId, afterSeq, limit);
      const follows = (rows[0]?.first_seq ?? Number.POSITIVE_INFINITY) <= afterSeq + 1;
      if (!follows) await assertNothingGone(reader, tenant, runId, afterSeq);
      const opened = rows.map((row) => guard(row.thread_id, async () => ({ epoch: row.epoch, events: row.open() })));
      const segments = await Promise.all(opened);
      return segments.map(({ epoch, events }) => {
        const isAsked = events.filter(({ run_id, seq = 0 }) => run_id === runId && seq > afterSeq);
        return { epoch, events: isAsked };
      });
    },
    lastSeqOfEpoch: (runId, epoch) => reader.lastSeqOfEpoch(tenant, runId, epoch),
    async listEntries(query = {}) {
      const cut = cutOf(query);
      const { rows, total } = await reader.listEntries(tenant, query, cut);
      return toPage({ rows: rows.map(openEntry), total }, cut);
    },
  };
}

/** Calls that are over are in the commits of their run, and nowhere else: listing them takes a run or a thread. */
async function listCalls(tenant: string, reader: RowReader, query: CallQuery): Promise<Page<ToolCallRecord>> {
  const { run_id, thread_id, status, is_open } = query;
  const cut = cutOf(query);
  if (status === "suspended") return toPage(await reader.listSuspended(tenant, query, cut), cut);
  if (query.pending_id !== undefined) {
    throw invalidRequest("Listing tool calls by pending_id needs the status suspended.");
  }
  const isOpen = is_open === true || (status !== undefined && isOpenStatus(status));
  if (run_id === undefined && thread_id === undefined && !isOpen) {
    throw invalidRequest("Listing tool calls needs a run_id, a thread_id, an open status or is_open.");
  }
  const calls = isOpen
    ? await listOpen(tenant, reader, { run_id, thread_id })
    : foldCalls(await reader.readCalls(tenant, run_id !== undefined ? { run_id } : { thread_id: thread_id ?? "" }));
  const found = calls.filter(
    (call) =>
      (run_id === undefined || call.run_id === run_id) &&
      (thread_id === undefined || call.thread_id === thread_id) &&
      (status === undefined || call.status === status) &&
      (is_open !== true || isOpenStatus(call.status)),
  );
  return toPage({ rows: found.slice(cut.offset, cut.offset + cut.limit), total: found.length }, cut);
}

function isOpenStatus(status: ToolCallStatus): boolean {
  return !isTerminal(TOOL_CALL_TRANSITIONS, status);
}

/** Open calls are in the row of their run, so that no commit has to be read for them. */
async function listOpen(
  tenant: string,
  reader: RowReader,
  { run_id, thread_id }: { readonly run_id: string | undefined; readonly thread_id: string | undefined },
): Promise<readonly ToolCallRecord[]> {
  if (run_id !== undefined) return (await reader.loadRun(tenant, run_id))?.open_calls ?? [];
  if (thread_id !== undefined) return foldCalls(await reader.readCalls(tenant, { thread_id }));
  return (await reader.listOpenRuns(tenant)).flatMap(({ open_calls }) => open_calls);
}

/** Each call as the last commit left it, in the order in which calls first came. */
function foldCalls(rows: readonly CallsRow[]): readonly ToolCallRecord[] {
  const calls = new Map<string, ToolCallRecord>();
  for (const row of rows) {
    for (const call of row.open()) calls.set(JSON.stringify([call.run_id, call.call_id]), call);
  }
  return [...calls.values()];
}

/** History is cut between runs: the events of a run are all there, or gone but for what told of its end later. */
async function assertNothingGone(reader: RowReader, tenant: string, runId: string, afterSeq: number): Promise<void> {
  const run = (await reader.loadRun(tenant, runId))?.record;
  if (run === undefined || !(run.last_seq > afterSeq)) return;
  const pruned = (await reader.loadThread(tenant, run.thread_id))?.thread.pruned_version ?? 0;
  if (pruned <= run.base_version) return;
  const message = `The events of run ${runId} were pruned.`;
  throw new RepriseError("VERSION_GONE", message, { details: { run_id: runId } });
}
