import type { Filed, RunCell, SnapshotCell, VersionCell } from "../tables/cells.ts";
import { changeOf } from "../tables/row-change.ts";
import { partsOfEntry, partsOfThread } from "../tables/store-writes.ts";
import type { StoredRow, StoredVersion, StoredWrite } from "../tables/stored-write.ts";
import type { ThreadTables } from "../tables/thread-tables.ts";
import { type ChangesetContent, type Content, encodeContent, pruneContent } from "./content.ts";
import { loadContents } from "./load-contents.ts";
import { encodeLine } from "./log-line.ts";
import type { LogRange } from "./thread-log.ts";

/** How many changesets are held in memory at a time. */
const CHUNK = 100;

/**
 * Writes a thread's log anew, without what is over: rows that changed since, and texts that were pruned. To be called by
 * whoever may append to it. A failure leaves the log as it is.
 */
export async function rewriteLog(thread: ThreadTables): Promise<void> {
  const places = new Map<Filed, LogRange>();
  await thread.log.replace(
    async (append) => {
      await append((durable) => lineOf(durable, [...rowsOf(thread)], []));
      for (const cells of chunksOf([...thread.versions.values(), ...thread.snapshots])) {
        const contents = await loadContents(thread.log, cells);
        for (const cell of cells) {
          const content = contents?.get(cell);
          if (content === undefined) throw new Error("The log vanished while it was written anew.");
          places.set(cell, await append((durable) => lineOfCell(durable, cell, content)));
        }
      }
      await append((durable) => lineOf(durable, [...supersedesOf(thread)], []));
    },
    () => {
      for (const [cell, place] of places) cell.place = { ...place, item: 0 };
    },
  );
}

function lineOf(durable: number, writes: readonly StoredWrite[], contents: readonly Content[]): Buffer {
  return encodeLine(JSON.stringify(writes), encodeContent(contents), durable);
}

function lineOfCell(durable: number, cell: VersionCell | SnapshotCell, content: Content): Buffer {
  if (!("changeset_id" in cell)) {
    return lineOf(durable, [{ write: "snapshot", version: cell.version, item: 0 }], [content]);
  }
  // What a changeset is filed with is its own content.
  const kept = cell.isPruned ? pruneContent(content as ChangesetContent) : content;
  return lineOf(durable, [versionOf(cell)], [kept]);
}

function versionOf(cell: VersionCell): StoredVersion {
  return {
    write: "changeset",
    version: cell.version,
    changeset_id: cell.changeset_id,
    run_id: cell.run_id,
    first_position: cell.first_position,
    epoch: cell.epoch,
    messages: cell.messages.map(({ id, is_internal }) => (is_internal ? [id] : id)),
    segments: cell.isPruned
      ? []
      : cell.segments.map(({ run_id, first_seq, last_seq }) => [run_id, first_seq, last_seq]),
    has_patches: cell.hasPatches && !cell.isPruned,
    ...(cell.isPruned ? { is_pruned: true } : {}),
    item: 0,
  };
}

/** Every row of a thread as a new one, in an order in which each finds what it belongs to. */
function* rowsOf(thread: ThreadTables): Iterable<StoredRow> {
  if (thread.row !== undefined) yield newRow("thread", [], thread.order, partsOfThread(thread.row));
  for (const { row, order } of thread.mailbox.entries.values()) {
    yield newRow("entry", [row.entry.entry_id], order, partsOfEntry(row));
  }
  for (const run of thread.runs.values()) yield* rowsOfRun(run);
}

function* rowsOfRun({ record, order, calls, decisions }: RunCell): Iterable<StoredRow> {
  yield newRow("run", [record.run_id], order, { main: record });
  for (const call of calls.values()) {
    yield newRow("call", [record.run_id, call.row.call_id], call.order, { main: call.row });
  }
  for (const { row, order } of decisions.values()) {
    const { decision: main, ...rest } = row;
    yield newRow("decision", [record.run_id, main.call_id, main.suspension], order, { main, rest });
  }
}

function newRow(
  write: StoredRow["write"],
  key: StoredRow["key"],
  order: number,
  { main, rest }: { readonly main: object; readonly rest?: object },
): StoredRow {
  const changes = { main: changeOf(main, undefined), rest: rest && changeOf(rest, undefined) };
  return {
    write,
    key,
    order,
    ...(changes.main === undefined ? {} : { main: changes.main }),
    ...(changes.rest === undefined ? {} : { rest: changes.rest }),
  };
}

/** Which messages were superseded, version by version. */
function* supersedesOf({ messages }: ThreadTables): Iterable<StoredWrite> {
  const marked = [...messages.values()].filter(({ superseded_version }) => superseded_version !== null);
  for (const [version, cells] of Map.groupBy(marked, ({ superseded_version }) => superseded_version ?? 0)) {
    yield { write: "supersede", message_ids: cells.map(({ id }) => id), version };
  }
}

function* chunksOf<Cell>(cells: readonly Cell[]): Iterable<readonly Cell[]> {
  for (let start = 0; start < cells.length; start += CHUNK) yield cells.slice(start, start + CHUNK);
}
