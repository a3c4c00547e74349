import type { ContentPlace, MessageCell, RunCell, SegmentCell, SnapshotCell, VersionCell } from "./cells.ts";
import type { Step } from "./step.ts";
import type { StoredVersion } from "./stored-write.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** Adds a changeset with its messages and its segments. */
export function stepOfVersion(thread: ThreadTables, write: StoredVersion, place: ContentPlace): Step {
  const cell = makeVersion(write, place);
  return {
    forward() {
      thread.versions.set(cell.version, cell);
      thread.versionOf.set(cell.changeset_id, cell.version);
      for (const message of cell.messages) {
        thread.messages.set(message.position, message);
        thread.positionOf.set(message.id, message.position);
      }
      for (const segment of cell.segments) thread.runs.get(segment.run_id)?.segments.push(segment);
    },
    backward() {
      thread.versions.delete(cell.version);
      thread.versionOf.delete(cell.changeset_id);
      for (const message of cell.messages) {
        thread.messages.delete(message.position);
        thread.positionOf.delete(message.id);
      }
      for (const segment of cell.segments) thread.runs.get(segment.run_id)?.segments.pop();
    },
  };
}

function makeVersion(write: StoredVersion, place: ContentPlace): VersionCell {
  const messages: MessageCell[] = [];
  const segments: SegmentCell[] = [];
  const cell: VersionCell = {
    version: write.version,
    changeset_id: write.changeset_id,
    run_id: write.run_id,
    epoch: write.epoch,
    first_position: write.first_position,
    hasPatches: write.has_patches,
    messages,
    segments,
    isPruned: write.is_pruned === true,
    place,
  };
  for (const [index, message] of write.messages.entries()) {
    const is_internal = typeof message !== "string";
    const id = is_internal ? message[0] : message;
    const position = write.first_position + index;
    messages.push({ id, position, is_internal, from: cell, superseded_version: null });
  }
  for (const [run_id, first_seq, last_seq] of write.segments) {
    segments.push({ run_id, first_seq, last_seq, from: cell });
  }
  return cell;
}

/** Marks messages; ids the thread does not have are skipped, and so is what is marked already. */
export function stepOfSupersede(thread: ThreadTables, messageIds: readonly string[], version: number): Step {
  const found = messageIds.map((id) => thread.messages.get(thread.positionOf.get(id) ?? -1));
  const cells = found.filter((cell) => cell?.superseded_version === null);
  const mark = (superseded: number | null): void => {
    for (const cell of cells) if (cell !== undefined) cell.superseded_version = superseded;
  };
  return { forward: () => mark(version), backward: () => mark(null) };
}

export function stepOfSnapshot(thread: ThreadTables, version: number, place: ContentPlace): Step {
  const before = thread.snapshots.find((cell) => cell.version === version);
  return stepOfSnapshots(thread, before === undefined ? [] : [before], [{ version, place }]);
}

/** Forgets how the thread came to a version: all but the messages of its changesets, and snapshots before it. */
export function stepOfPrune(thread: ThreadTables, upTo: number): Step {
  const versions = [...thread.versions.values()].filter((cell) => cell.version <= upTo && !cell.isPruned);
  const gone = new Set(versions.flatMap((cell) => cell.segments));
  const runs = [...new Set([...gone].map(({ run_id }) => thread.runs.get(run_id)))].filter((run) => run !== undefined);
  const journals = runs.map((run) => [run, [...run.segments]] as const);
  const snapshots = stepOfSnapshots(
    thread,
    [...thread.snapshots].filter(({ version }) => version < upTo),
    [],
  );
  return {
    forward() {
      for (const cell of versions) cell.isPruned = true;
      for (const [run, segments] of journals) {
        replaceSegments(
          run,
          segments.filter((segment) => !gone.has(segment)),
        );
      }
      snapshots.forward();
    },
    backward() {
      for (const cell of versions) cell.isPruned = false;
      for (const [run, segments] of journals) replaceSegments(run, segments);
      snapshots.backward();
    },
  };
}

function replaceSegments({ segments }: RunCell, others: readonly SegmentCell[]): void {
  segments.splice(0, segments.length, ...others);
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
