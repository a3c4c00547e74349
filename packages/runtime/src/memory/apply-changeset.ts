import type { Changeset, RunRecord } from "@reprise/contracts";
import { freezeDeep } from "../thread/freeze-deep.ts";
import { groupByRun } from "./check-changeset.ts";
import { giveBackClaim } from "./claims.ts";
import { addWake, closeEntry, closeWakes } from "./entries.ts";
import { appendSegment, createRunCell, decisionKey, openRunOf } from "./tenant-world.ts";
import type { ThreadCell } from "./thread-cell.ts";

/**
 * Appends a checked changeset to its thread. Costs what the changeset holds, however long the thread is.
 * `epoch` is null for a writer without a claim.
 */
export function applyChangeset(
  cell: ThreadCell,
  changeset: Changeset,
  { epoch, now }: { readonly epoch: number | null; readonly now: number },
): number {
  // Kept by reference, so nobody may write to it any more: elsewhere a database would have its own copy. Events are left
  // out: they are the bulk, made by the runtime alone, and nothing is computed from them again.
  for (const part of [changeset.messages, changeset.patches, changeset.runs, changeset.calls]) freezeDeep(part);
  const version = cell.thread.version + 1;
  cell.thread = { ...cell.thread, version, updated_at: now };
  cell.changesets.push({ ...changeset, version });
  cell.versions.set(changeset.changeset_id, version);
  appendMessages(cell, changeset);
  for (const row of changeset.runs) putRun(cell, row);
  putCalls(cell, changeset);
  for (const [runId, events] of groupByRun(changeset.events)) {
    const run = cell.world.runs.get(runId);
    if (run !== undefined) appendSegment(run, cell.epoch, events);
  }
  consumeDecisions(cell, changeset, now);
  wakeForEarlyDecisions(cell, changeset, now);
  // Before the entries are settled: a run that is done with this commit needs no wake.
  for (const { run_id, at } of changeset.wakes ?? []) addWake(cell, "resume", { runId: run_id, at, now });
  settleEntries(cell, changeset, now);
  if (epoch !== null) settleClaim(cell, now);
  return version;
}

function appendMessages(cell: ThreadCell, { messages, supersedes, run_id }: Changeset): void {
  for (const message of messages) {
    cell.positions.set(message.id, cell.messages.length);
    cell.messages.push({ message, runId: run_id });
  }
  for (const id of supersedes) {
    const position = cell.positions.get(id);
    if (position !== undefined) cell.superseded.add(position);
  }
}

function putRun(cell: ThreadCell, row: RunRecord): void {
  const known = cell.world.runs.get(row.run_id);
  if (known === undefined) {
    cell.world.runs.set(row.run_id, createRunCell(cell, row));
    cell.runIds.push(row.run_id);
  } else {
    known.record = row;
  }
  if (row.status !== "done") cell.openRunId = row.run_id;
  else if (cell.openRunId === row.run_id) cell.openRunId = undefined;
  cell.recoverAt = 0;
}

function putCalls(cell: ThreadCell, { calls }: Changeset): void {
  for (const record of calls) {
    const run = cell.world.runs.get(record.run_id);
    const slot = run?.calls.get(record.call_id);
    if (slot !== undefined) {
      slot.record = record;
      continue;
    }
    const added = { record };
    run?.calls.set(record.call_id, added);
    cell.world.calls.add(added);
  }
}

function consumeDecisions(cell: ThreadCell, { consumed_decisions }: Changeset, now: number): void {
  for (const { run_id, call_id, suspension } of consumed_decisions) {
    const run = cell.world.runs.get(run_id);
    const slot = run?.decisions.get(decisionKey(call_id, suspension));
    if (slot === undefined) continue;
    run?.pending.delete(slot);
    if (slot.wake !== undefined) closeEntry(cell, slot.wake, "accepted", { now });
  }
}

/** A decision that came before its suspension wakes the run now that the suspension is committed. */
function wakeForEarlyDecisions(cell: ThreadCell, { calls }: Changeset, now: number): void {
  for (const { run_id, call_id, suspension, status } of calls) {
    if (status !== "suspended") continue;
    const run = cell.world.runs.get(run_id);
    const slot = run?.decisions.get(decisionKey(call_id, suspension));
    if (slot === undefined || slot.wake !== undefined || !run?.pending.has(slot)) continue;
    slot.wake = addWake(cell, "resume", { runId: run_id, now });
  }
}

function settleEntries(cell: ThreadCell, { mailbox_effects, runs }: Changeset, now: number): void {
  for (const { entry_id, status, into_run } of mailbox_effects) {
    const slot = cell.world.entries.get(entry_id);
    if (slot === undefined) continue;
    closeEntry(cell, slot, status, { now, ...(into_run === undefined ? {} : { intoRun: into_run }) });
    // A run that never begins has no inbox: what waits for it would wait for ever.
    const isOver = status === "cancelled" || into_run !== undefined;
    if (isOver && slot.entry.kind === "run") closeWakes(cell, slot.entry.run_id, now);
  }
  for (const { run_id, status } of runs) {
    const slot = cell.world.entriesByRun.get(run_id);
    if (slot !== undefined) closeEntry(cell, slot, "accepted", { now });
    if (status === "done") closeWakes(cell, run_id, now);
  }
}

/** The claim ends with the activation: when its owner leaves no run running. */
function settleClaim(cell: ThreadCell, now: number): void {
  if (openRunOf(cell)?.record.status === "running") return;
  const slot = cell.claim?.entryId === undefined ? undefined : cell.world.entries.get(cell.claim.entryId);
  // A wake-up that led to nothing counts as an attempt, so that it cannot go round for ever.
  const isUnused = slot?.entry.status === "claimed" && slot.entry.kind !== "run";
  giveBackClaim(cell, isUnused ? { error: "the run went on waiting", retry_at: now, isUnused } : undefined, now);
}
