import type { PrunedThreads, ThreadPruning } from "@reprise/contracts";
import { forgetEntry } from "./entries.ts";
import { openRunOf } from "./tenant-world.ts";
import { removeThread } from "./thread-admission.ts";
import { isClaimLive, type ThreadCell } from "./thread-cell.ts";

/** Forgets what may be forgotten of a thread. What an open run may still need is kept. */
export function pruneCell(
  cell: ThreadCell,
  { history, entries_before, idle_since }: ThreadPruning,
  now: number,
): PrunedThreads {
  if (idle_since !== null && isIdleSince(cell, idle_since, now)) {
    removeThread(cell.world, cell);
    return { versions: 0, entries: 0, threads: 1 };
  }
  const versions = history === null ? 0 : cutHistory(cell, history);
  const entries = entries_before === null ? 0 : forgetEntries(cell, entries_before);
  return { versions, entries, threads: 0 };
}

function isIdleSince(cell: ThreadCell, time: number, now: number): boolean {
  const isBusy = cell.openRunId !== undefined || isClaimLive(cell, now) || cell.mailbox.hasPending;
  return !isBusy && cell.thread.updated_at < time;
}

/** Returns how many versions go. Never more than an open run began with: a rollback goes back to there. */
function cutHistory(cell: ThreadCell, { up_to, state }: NonNullable<ThreadPruning["history"]>): number {
  const bound = openRunOf(cell)?.record.base_version ?? cell.thread.version;
  const versions = up_to - (cell.base?.version ?? 0);
  if (up_to > bound || versions <= 0) return 0;
  const cut = cell.changesets.splice(0, versions);
  cell.base = {
    version: up_to,
    state,
    messages: cut.reduce((sum, { messages }) => sum + messages.length, cell.base?.messages ?? 0),
    supersedes: [...(cell.base?.supersedes ?? []), ...cut.flatMap(({ supersedes }) => supersedes)],
  };
  const kept = cell.snapshots.filter(({ version }) => version > up_to);
  cell.snapshots.splice(0, cell.snapshots.length, { version: up_to, state }, ...kept);
  for (const { run_id } of cut.flatMap(({ events }) => events)) {
    const segments = cell.world.runs.get(run_id)?.segments;
    // Cuts are made between runs, so a run loses all or nothing.
    if (segments !== undefined) segments.length = 0;
  }
  return versions;
}

/** What asked for the open run stays as long as the run. */
function forgetEntries(cell: ThreadCell, before: number): number {
  const over = [...cell.mailbox.slots].filter(
    ({ entry: { status, updated_at, run_id } }) =>
      status !== "queued" && status !== "claimed" && updated_at < before && run_id !== cell.openRunId,
  );
  for (const slot of over) forgetEntry(cell, slot);
  return over.length;
}
