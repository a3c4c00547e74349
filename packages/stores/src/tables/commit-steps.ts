import type { SupersededRange } from "../kernel/rows.ts";
import type { SnapshotCell } from "./cells.ts";
import { stepInMap } from "./row-steps.ts";
import { redo, type Step, undo } from "./step.ts";
import type { TableWrite } from "./table-write.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** Adds a commit with the ids of its messages, and the calls that ended with it. */
export function stepOfCommit(
  thread: ThreadTables,
  { cell, message_ids, ended_calls }: Extract<TableWrite, { readonly write: "commit" }>,
): Step {
  const ended = ended_calls.map((call) => stepInMap(thread.runs.get(call.run_id)?.ended, call.call_id, call));
  return {
    forward() {
      thread.commits.add(cell);
      thread.versionOf.set(cell.changeset_id, cell.version);
      for (const [index, id] of message_ids.entries()) thread.positionOf.set(id, cell.first_position + index);
      redo(ended);
    },
    backward() {
      undo(ended);
      for (const id of message_ids) thread.positionOf.delete(id);
      thread.versionOf.delete(cell.changeset_id);
      thread.commits.removeLast();
    },
  };
}

export function stepOfSupersede({ superseded }: ThreadTables, range: SupersededRange): Step {
  return { forward: () => superseded.push(range), backward: () => superseded.pop() };
}

export function stepOfSnapshot(thread: ThreadTables, cell: SnapshotCell): Step {
  const before = thread.snapshots.find(({ version }) => version === cell.version);
  return stepOfSnapshots(thread, before === undefined ? [] : [before], [cell]);
}

/** Forgets how the thread came to a version. */
export function stepOfPrune(thread: ThreadTables, upTo: number): Step {
  const commits = thread.commits.range(0, upTo).filter(({ is_pruned }) => !is_pruned);
  const before = [...thread.snapshots].filter(({ version }) => version < upTo);
  const snapshots = stepOfSnapshots(thread, before, []);
  const mark = (isPruned: boolean): void => {
    for (const cell of commits) cell.is_pruned = isPruned;
  };
  return {
    forward() {
      mark(true);
      snapshots.forward();
    },
    backward() {
      mark(false);
      snapshots.backward();
    },
  };
}

function stepOfSnapshots(
  { snapshots }: ThreadTables,
  before: readonly SnapshotCell[],
  after: readonly SnapshotCell[],
): Step {
  const replace = (old: readonly SnapshotCell[], made: readonly SnapshotCell[]): void => {
    for (const cell of old) snapshots.remove(cell);
    for (const cell of made) snapshots.add(cell);
  };
  return { forward: () => replace(before, after), backward: () => replace(after, before) };
}

/** Forgets mailbox entries. */
export function stepOfForgetting(thread: ThreadTables, entryIds: readonly string[]): Step {
  const { tenant } = thread;
  const cells = entryIds.map((id) => tenant.entries.get(id)).filter((cell) => cell !== undefined);
  return {
    forward() {
      for (const cell of cells) tenant.removeEntry(thread, cell);
    },
    backward() {
      for (const cell of cells) tenant.addEntry(thread, cell);
    },
  };
}
