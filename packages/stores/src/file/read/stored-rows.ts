import { checksumOf } from "../../codec/checksum.ts";
import type { StoredChangeset, StoredMessage, StoredSegment } from "../../codec/open-changeset.ts";
import { damaged, PRUNED, type StoredText, storeText } from "../../codec/stored-text.ts";
import type { ChangesetContent, SnapshotContent } from "../log/content.ts";
import { type Contents, loadContents } from "../log/load-contents.ts";
import type { MessageCell, SegmentCell, VersionCell } from "../tables/cells.ts";
import type { ThreadTables } from "../tables/thread-tables.ts";

/** The line's checksum was right, so the text is: its own is only made for whoever looks at it. */
function textOf(format: number, body: string): StoredText {
  return { format, checksum: checksumOf(body), body };
}

/**
 * The rows of some changesets of a thread, with their texts from its log. Undefined when the thread is gone by now. What is
 * pruned meanwhile is `PRUNED`.
 */
export async function loadRows(
  { log }: ThreadTables,
  versions: Iterable<VersionCell>,
): Promise<StoredRows | undefined> {
  const contents = await loadContents(log, [...new Set(versions)]);
  return contents === undefined ? undefined : new StoredRows(contents);
}

/** The newest snapshot of a thread at or before a version. */
export async function loadSnapshotRow(
  { log, snapshots }: ThreadTables,
  version: number,
): Promise<{ readonly version: number; readonly state: StoredText } | undefined> {
  const cell = snapshots.findLast((snapshot) => snapshot.version <= version);
  if (cell === undefined) return undefined;
  const content = (await loadContents(log, [cell]))?.get(cell);
  if (content === undefined) return undefined;
  // A snapshot's cell is filed with a snapshot's content.
  const { format, state } = content as SnapshotContent;
  return { version: cell.version, state: textOf(format, state) };
}

/** What was read, as the codec wants it. */
export class StoredRows {
  readonly #contents: Contents<VersionCell>;

  constructor(contents: Contents<VersionCell>) {
    this.#contents = contents;
  }

  changeset(threadId: string, cell: VersionCell): StoredChangeset {
    const content = this.#contentOf(cell);
    const isThere = !cell.isPruned && content.body !== undefined;
    return {
      thread_id: threadId,
      version: cell.version,
      changeset_id: cell.changeset_id,
      run_id: cell.run_id,
      text: isThere ? textOf(content.format, content.body) : PRUNED,
      patches: this.patches(cell),
      messages: cell.messages.map((message) => this.message(message)),
      segments: isThere ? cell.segments.map((segment) => this.segment(segment)) : [],
    };
  }

  patches(cell: VersionCell): StoredText {
    if (cell.isPruned) return PRUNED;
    if (!cell.hasPatches) return storeText("");
    const { format, patches } = this.#contentOf(cell);
    return patches === undefined ? PRUNED : textOf(format, patches);
  }

  message({ id, position, from }: MessageCell): StoredMessage {
    const { format, messages } = this.#contentOf(from);
    const body = messages[position - from.first_position];
    if (body === undefined) throw damaged("message");
    return { id, run_id: from.run_id, text: textOf(format, body) };
  }

  segment(cell: SegmentCell): StoredSegment {
    const { from, run_id, first_seq } = cell;
    const { format, segments } = this.#contentOf(from);
    const body = segments?.[from.segments.indexOf(cell)];
    return { run_id, epoch: from.epoch, first_seq, text: body === undefined ? PRUNED : textOf(format, body) };
  }

  #contentOf(cell: VersionCell): ChangesetContent {
    const content = this.#contents.get(cell);
    if (content === undefined) throw damaged("changeset");
    // A changeset's cell is filed with a changeset's content.
    return content as ChangesetContent;
  }
}
