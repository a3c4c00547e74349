import {
  type AgentEvent,
  type Changeset,
  type CommitGuard,
  illegalTransition,
  invalidRequest,
  isTerminal,
  notFound,
  RepriseError,
  staleEpoch,
  TOOL_CALL_TRANSITIONS,
  triggerTo,
  versionConflict,
} from "@reprise/contracts";
import { decisionKey, lastSeqOf, openRunOf } from "./tenant-world.ts";
import type { ThreadCell } from "./thread-cell.ts";

/** Refuses a writer that may not write now: first by its epoch, then by the thread being busy, then by the version. */
export function assertGuard(cell: ThreadCell, changeset: Changeset, { expected, epoch }: CommitGuard): void {
  const threadId = cell.thread.thread_id;
  if (changeset.run_id !== null && epoch === null) {
    throw invalidRequest(`Cannot commit to thread ${threadId}: a changeset of a run needs an epoch.`);
  }
  if (epoch !== null && cell.claim?.epoch !== epoch) throw staleEpoch(threadId, epoch, cell.epoch);
  if (changeset.run_id === null && openRunOf(cell)?.record.status === "running") {
    throw new RepriseError("THREAD_BUSY", `Cannot commit to thread ${threadId}: run ${cell.openRunId} is running.`);
  }
  assertVersion(cell, expected);
}

export function assertVersion(cell: ThreadCell, expected: number | "any"): void {
  const { thread_id, version } = cell.thread;
  if (expected !== "any" && expected !== version) throw versionConflict(thread_id, expected, version);
}

/**
 * Refuses a changeset that would leave the thread inconsistent. Reads only: after it, applying cannot fail.
 * `incoming` is the id of an entry that is stored together with the changeset.
 */
export function assertChangeset(cell: ThreadCell, changeset: Changeset, incoming?: string): void {
  assertMessages(cell, changeset);
  assertRuns(cell, changeset);
  assertCalls(cell, changeset);
  assertEvents(cell, changeset);
  assertConsumed(cell, changeset);
  assertEffects(cell, changeset, incoming);
}

function assertMessages(cell: ThreadCell, { messages }: Changeset): void {
  const brought = new Set<string>();
  for (const { id } of messages) {
    if (cell.positions.has(id) || brought.has(id)) {
      throw invalidRequest(`Cannot append message ${id} to thread ${cell.thread.thread_id}: it is there already.`);
    }
    brought.add(id);
  }
}

function assertRuns(cell: ThreadCell, { runs }: Changeset): void {
  const threadId = cell.thread.thread_id;
  const open = new Set(cell.openRunId === undefined ? [] : [cell.openRunId]);
  for (const row of runs) {
    const known = cell.world.runs.get(row.run_id);
    if (row.thread_id !== threadId || (known !== undefined && known.cell !== cell)) {
      throw invalidRequest(`Cannot commit run ${row.run_id} to thread ${threadId}: it is of another thread.`);
    }
    if (known?.record.status === "done" && row.status !== "done") {
      throw illegalTransition("run", row.run_id, "done", row.status === "waiting" ? "suspend" : "resume");
    }
    if (row.status === "done") open.delete(row.run_id);
    else open.add(row.run_id);
  }
  if (open.size > 1) {
    throw new RepriseError("THREAD_BUSY", `Thread ${threadId} cannot have ${open.size} open runs: ${[...open]}.`);
  }
}

function assertCalls(cell: ThreadCell, changeset: Changeset): void {
  for (const call of changeset.calls) {
    assertRunKnown(cell, changeset, call.run_id);
    const status = cell.world.runs.get(call.run_id)?.calls.get(call.call_id)?.record.status;
    if (status !== undefined && status !== call.status && isTerminal(TOOL_CALL_TRANSITIONS, status)) {
      throw illegalTransition("tool call", call.call_id, status, triggerTo(call.status));
    }
  }
}

function assertEvents(cell: ThreadCell, changeset: Changeset): void {
  for (const [runId, events] of groupByRun(changeset.events)) {
    assertRunKnown(cell, changeset, runId);
    let last = lastSeqOf(cell.world.runs.get(runId));
    for (const { seq } of events) {
      if (seq !== last + 1) throw invalidRequest(`Cannot store event ${seq} of run ${runId}: the last is ${last}.`);
      last = seq;
    }
  }
}

/** The events of a changeset by run; one that supersedes another run also brings that run's end. */
export function groupByRun(events: readonly AgentEvent[]): Iterable<readonly [string, readonly AgentEvent[]]> {
  const first = events[0]?.run_id;
  if (first === undefined) return [];
  if (events.every(({ run_id }) => run_id === first)) return [[first, events]];
  return Map.groupBy(events, ({ run_id }) => run_id);
}

function assertRunKnown(cell: ThreadCell, { runs }: Changeset, runId: string): void {
  if (cell.world.runs.get(runId)?.cell === cell || runs.some(({ run_id }) => run_id === runId)) return;
  throw notFound("RUN_NOT_FOUND", "run", runId);
}

function assertConsumed(cell: ThreadCell, { consumed_decisions }: Changeset): void {
  for (const { run_id, call_id, suspension } of consumed_decisions) {
    const run = cell.world.runs.get(run_id);
    const slot = run?.decisions.get(decisionKey(call_id, suspension));
    if (slot === undefined || !run?.pending.has(slot)) {
      throw invalidRequest(`Cannot consume the decision on call ${call_id}, suspension ${suspension}: there is none.`);
    }
  }
}

function assertEffects(cell: ThreadCell, { mailbox_effects }: Changeset, incoming: string | undefined): void {
  for (const { entry_id, status } of mailbox_effects) {
    if (entry_id === incoming) continue;
    const slot = cell.world.entries.get(entry_id);
    if (slot === undefined || !cell.mailbox.slots.has(slot)) {
      throw invalidRequest(
        `Cannot change mailbox entry ${entry_id}: thread ${cell.thread.thread_id} does not have it.`,
      );
    }
    const { status: current } = slot.entry;
    if (current === "queued" || current === "claimed" || current === status) continue;
    throw illegalTransition("mailbox entry", entry_id, current, status === "accepted" ? "accept" : "cancel");
  }
}
