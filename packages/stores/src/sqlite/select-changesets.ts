import { unescapeText } from "../codec/escape-text.ts";
import type { StoredChangeset, StoredMessage, StoredSegment } from "../codec/open-changeset.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { Connection } from "./connection.ts";

interface ChangesetColumns extends StoredText {
  readonly version: number;
  readonly changeset_id: string;
  readonly run_id: string | null;
  readonly first_position: number;
  readonly messages: number;
  readonly patches_checksum: number;
  readonly patches: string;
}

/** What is needed to open the patches of a version. */
export type PatchColumns = Pick<ChangesetColumns, "version" | "run_id" | "format" | "patches_checksum" | "patches">;

interface MessageColumns extends StoredText {
  readonly version: number;
  readonly id: string;
}

interface SegmentColumns extends StoredText {
  readonly version: number;
  readonly run_id: string;
  readonly epoch: number;
  readonly first_seq: number;
}

/** The run of a changeset: by its number, or, for one that never began, by its id. */
export const CHANGESET_RUN = "coalesce(changesets.run_id, (select run_id from runs where key = changesets.run_key))";

const COLUMNS = `version, changeset_id, ${CHANGESET_RUN} as run_id, first_position, messages,
  format, checksum, body, patches_checksum, patches`;

/** Changesets of a thread after a version, oldest first, each with its messages and its segments. */
export function selectChangesets(
  connection: Connection,
  thread: { readonly key: number; readonly thread_id: string },
  range: { readonly after: number; readonly limit: number },
): readonly StoredChangeset[] {
  const rows = connection.all<ChangesetColumns>(
    `select ${COLUMNS} from changesets where thread_key = :key and version > :after order by version limit :limit`,
    { key: thread.key, ...range },
  );
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  // A statement costs more than a row: both are read for all versions at once.
  const positions = { first: first.first_position, end: last.first_position + last.messages };
  const messages = Map.groupBy(selectMessageColumns(connection, thread.key, positions), versionOf);
  const segments = Map.groupBy(selectSegmentsBetween(connection, thread.key, first, last), versionOf);
  return rows.map((row) => {
    const run_id = row.run_id === null ? null : unescapeText(row.run_id);
    return {
      thread_id: thread.thread_id,
      version: row.version,
      changeset_id: row.changeset_id,
      run_id,
      text: row,
      patches: patchesOf(row),
      messages: (messages.get(row.version) ?? []).map((message) => toStoredMessage(message, run_id)),
      segments: segments.get(row.version) ?? [],
    };
  });
}

function versionOf({ version }: { readonly version: number }): number {
  return version;
}

export function patchesOf({ format, patches_checksum, patches }: PatchColumns): StoredText {
  return { format, checksum: patches_checksum, body: patches };
}

/** The messages one commit brought. */
export function selectMessagesOf(
  connection: Connection,
  threadKey: number,
  { first_position, messages, run_id }: Pick<ChangesetColumns, "first_position" | "messages" | "run_id">,
): readonly StoredMessage[] {
  const rows = selectMessageColumns(connection, threadKey, { first: first_position, end: first_position + messages });
  return rows.map((row) => toStoredMessage(row, run_id));
}

function selectMessageColumns(
  connection: Connection,
  threadKey: number,
  { first, end }: { readonly first: number; readonly end: number },
): readonly MessageColumns[] {
  if (first === end) return [];
  return connection.all<MessageColumns>(
    `select version, id, format, checksum, body from messages
     where thread_key = :key and position >= :first and position < :end order by position`,
    { key: threadKey, first, end },
  );
}

function toStoredMessage(row: MessageColumns, run_id: string | null): StoredMessage {
  return { id: unescapeText(row.id), run_id, text: row };
}

/** The same by the version of the commit. */
export function selectMessagesOfVersion(
  connection: Connection,
  threadKey: number,
  version: number,
): readonly StoredMessage[] {
  const found = connection.get<Pick<ChangesetColumns, "first_position" | "messages" | "run_id">>(
    `select first_position, messages, ${CHANGESET_RUN} as run_id from changesets
     where thread_key = :key and version = :version`,
    { key: threadKey, version },
  );
  if (found === undefined) return [];
  const run_id = found.run_id === null ? null : unescapeText(found.run_id);
  return selectMessagesOf(connection, threadKey, { ...found, run_id });
}

/** Segments of one commit lie one after the other: they were stored by one transaction. */
function selectSegmentsBetween(
  connection: Connection,
  threadKey: number,
  first: Pick<ChangesetColumns, "version">,
  last: Pick<ChangesetColumns, "version">,
): readonly (StoredSegment & { readonly version: number })[] {
  const rows = connection.all<SegmentColumns>(
    `select changesets.version, runs.run_id, epoch, first_seq, segments.format, segments.checksum, segments.body
     from changesets
     join segments on segments.key >= first_segment and segments.key < first_segment + changesets.segments
     join runs on runs.key = segments.run_key
     where changesets.thread_key = :key and changesets.version >= :first and changesets.version <= :last
     order by changesets.version, segments.key`,
    { key: threadKey, first: first.version, last: last.version },
  );
  return rows.map((row) => ({
    version: row.version,
    run_id: unescapeText(row.run_id),
    epoch: row.epoch,
    first_seq: row.first_seq,
    text: row,
  }));
}
