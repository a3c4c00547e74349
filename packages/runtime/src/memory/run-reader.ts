import {
  type CallQuery,
  type EventSegment,
  RepriseError,
  type RunQuery,
  type RunReader,
  type RunRecord,
  type ToolCallRecord,
} from "@reprise/contracts";
import { cutPage, fits, isWithin } from "./pages.ts";
import { decisionKey, lastSeqOf, type RunCell, type TenantWorld } from "./tenant-world.ts";

/** Reads of runs, calls, decisions, events and mailbox entries. */
export function createRunReader(world: TenantWorld): RunReader {
  return {
    async loadRun(runId) {
      return world.runs.get(runId)?.record;
    },
    async listRuns(query = {}) {
      const runs = candidateRuns(world, query).filter((run) => isRunWanted(run, query));
      // The sort is stable: of two runs made at the same time the later one comes first.
      return cutPage(
        runs.reverse().sort((run, other) => other.created_at - run.created_at),
        query,
      );
    },
    async loadCall(runId, callId) {
      return world.runs.get(runId)?.calls.get(callId)?.record;
    },
    async listCalls(query = {}) {
      return cutPage(
        candidateCalls(world, query).filter(
          (call) => fits(query.thread_id, call.thread_id) && fits(query.status, call.status),
        ),
        query,
      );
    },
    async loadDecision(runId, callId, suspension) {
      return world.runs.get(runId)?.decisions.get(decisionKey(callId, suspension))?.decision;
    },
    async readEvents(runId, afterSeq, limit) {
      const run = world.runs.get(runId);
      if (run === undefined) return [];
      if ((run.cell.base?.version ?? 0) > run.record.base_version && run.record.last_seq > afterSeq) {
        throw new RepriseError("VERSION_GONE", `The events of run ${runId} were pruned.`, {
          details: { run_id: runId },
        });
      }
      return eventsAfter(run, afterSeq, limit);
    },
    async lastSeqOfEpoch(runId, epoch) {
      const segments = world.runs.get(runId)?.segments ?? [];
      return segments.findLast((segment) => segment.epoch <= epoch)?.lastSeq ?? 0;
    },
    async listEntries(query = {}) {
      const threadId = query.thread_id ?? world.entriesByRun.get(query.run_id ?? "")?.entry.thread_id;
      const slots = threadId === undefined ? world.entries.values() : slotsOf(world, threadId);
      const entries = Array.from(slots, ({ entry }) => entry).filter(
        ({ status, run_id }) => fits(query.status, status) && fits(query.run_id, run_id),
      );
      return cutPage(entries, query);
    },
  };
}

function slotsOf(world: TenantWorld, threadId: string) {
  return world.threads.get(threadId)?.mailbox.slots ?? [];
}

function candidateRuns(world: TenantWorld, { thread_id }: RunQuery): RunRecord[] {
  if (thread_id === undefined) return Array.from(world.runs.values(), ({ record }) => record);
  const runIds = world.threads.get(thread_id)?.runIds ?? [];
  return runIds.flatMap((runId) => world.runs.get(runId)?.record ?? []);
}

function isRunWanted(run: RunRecord, query: RunQuery): boolean {
  return (
    fits(query.parent_run_id, run.parent_run_id) &&
    fits(query.agent_id, run.agent_id) &&
    fits(query.status, run.status) &&
    fits(query.origin, run.origin) &&
    fits(query.termination_code, run.termination_code) &&
    isWithin(run.created_at, query.created_at_from, query.created_at_to) &&
    isWithin(run.updated_at, query.updated_at_from, query.updated_at_to)
  );
}

function candidateCalls(world: TenantWorld, { run_id }: CallQuery): ToolCallRecord[] {
  const calls = run_id === undefined ? world.calls : (world.runs.get(run_id)?.calls.values() ?? []);
  return Array.from(calls, ({ record }) => record);
}

/** Looks back from the end, so that reading the tail does not cost the whole journal. */
function eventsAfter(run: RunCell, afterSeq: number, limit: number | undefined): readonly EventSegment[] {
  if (afterSeq >= lastSeqOf(run)) return [];
  const first = run.segments.findLastIndex(({ lastSeq }) => lastSeq <= afterSeq) + 1;
  return run.segments
    .slice(first, limit === undefined ? undefined : first + limit)
    .map(({ epoch, events }) => ({ epoch, events: events.filter(({ seq }) => (seq ?? 0) > afterSeq) }));
}
