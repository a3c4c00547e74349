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
  const ended = ended_calls.flatMap((call) => {
    const run = thread.runs.get(call.run_id);
    if (run === undefined) return [];
    run.ended ??= new Map();
    return [stepInMap(run.ended, call.call_id, call)];
  });
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

/** Has a thread refer to blobs; those it refers to already stay when the step is taken back. */
export function stepOfReference({ blobRefs }: ThreadTables, refs: readonly string[]): Step {
  const added = refs.filter((ref) => !blobRefs.has(ref));
  return {
    forward: () => {
      for (const ref of added) blobRefs.add(ref);
    },
    backward: () => {
      for (const ref of added) blobRefs.delete(ref);
    },
  };
}

export function stepOfSupersede(thread: ThreadTables, range: SupersededRange): Step {
  const before = thread.superseded;
  return {
    forward: () => {
      thread.superseded = [...before, range];
    },
    backward: () => {
      thread.superseded = before;
    },
  };
}

export function stepOfSnapshot(thread: ThreadTables, cell: SnapshotCell): Step {
  const others = thread.snapshots.filter(({ version }) => version !== cell.version);
  const position = others.findIndex(({ version }) => version > cell.version);
  return stepOfSnapshots(thread, others.toSpliced(position < 0 ? others.length : position, 0, cell));
}

/** Forgets how the thread came to a version. */
export function stepOfPrune(thread: ThreadTables, upTo: number): Step {
  const commits = thread.commits.range(0, upTo).filter(({ is_pruned }) => !is_pruned);
  const kept = thread.snapshots.filter(({ version }) => version >= upTo);
  const snapshots = stepOfSnapshots(thread, kept);
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

function stepOfSnapshots(thread: ThreadTables, after: readonly SnapshotCell[]): Step {
  const before = thread.snapshots;
  return {
    forward: () => {
      thread.snapshots = after;
    },
    backward: () => {
      thread.snapshots = before;
    },
  };
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
