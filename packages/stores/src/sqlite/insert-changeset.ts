import { checksumOf } from "../codec/checksum.ts";
import { optionalText } from "../codec/columns/column-values.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { SealedSegment } from "../codec/sealed-changeset.ts";
import { storeText } from "../codec/stored-text.ts";
import type { ChangesetWrite } from "../kernel/write.ts";
import { insertInto } from "./sql-text.ts";
import type { WritePlace } from "./write-place.ts";

/** Stores a changeset: its segments, its own row and its messages. */
export function insertChangeset(place: WritePlace, write: ChangesetWrite): void {
  const { changeset, version } = write;
  const segments = changeset.segments.map((segment) => insertSegment(place, segment, write));
  const run = changeset.run_id === null ? undefined : place.runKey(changeset.run_id);
  const patches = storeText(changeset.patches);
  const columns = {
    thread_key: place.threadKey,
    version,
    changeset_id: changeset.changeset_id,
    id_hash: checksumOf(changeset.changeset_id),
    run_key: run ?? null,
    run_id: run === undefined ? optionalText(changeset.run_id) : null,
    first_position: write.first_position,
    messages: changeset.messages.length,
    first_segment: segments[0] ?? null,
    segments: segments.length,
    ...storeText(changeset.body),
    patches_checksum: patches.checksum,
    patches: patches.body,
  };
  place.connection.run(insertInto("changesets", columns), columns);
  insertMessages(place, write);
}

function insertMessages({ connection, threadKey }: WritePlace, write: ChangesetWrite): void {
  for (const [index, { id, is_internal, body }] of write.changeset.messages.entries()) {
    const escaped = escapeText(id);
    const columns = {
      thread_key: threadKey,
      position: write.first_position + index,
      id: escaped,
      id_hash: checksumOf(escaped),
      version: write.version,
      is_internal: is_internal ? 1 : 0,
      ...storeText(body),
    };
    connection.run(insertInto("messages", columns), columns);
  }
}

/** Returns the number of the row. */
function insertSegment(place: WritePlace, segment: SealedSegment, { version, epoch }: ChangesetWrite): number {
  const columns = {
    run_key: place.runKey(segment.run_id) ?? null,
    first_seq: segment.first_seq,
    last_seq: segment.last_seq,
    epoch,
    thread_key: place.threadKey,
    version,
    ...storeText(segment.body),
  };
  const sql = insertInto("segments", columns, "returning key");
  return place.connection.get<{ readonly key: number }>(sql, columns)?.key ?? 0;
}
