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
  readonly first_segment: number | null;
  readonly segments: number;
  readonly patches_checksum: number;
  readonly patches: string;
}

/** What is needed to open the patches of a version. */
export type PatchColumns = Pick<ChangesetColumns, "version" | "run_id" | "format" | "patches_checksum" | "patches">;

interface MessageColumns extends StoredText {
  readonly id: string;
}

interface SegmentColumns extends StoredText {
  readonly run_id: string;
  readonly epoch: number;
  readonly first_seq: number;
}

/** The run of a changeset: by its number, or, for one that never began, by its id. */
export const CHANGESET_RUN = "coalesce(changesets.run_id, (select run_id from runs where key = changesets.run_key))";

/** Changesets of a thread after a version, oldest first, each with its messages and its segments. */
export function selectChangesets(
  connection: Connection,
  thread: { readonly key: number; readonly thread_id: string },
  range: { readonly after: number; readonly limit: number },
): readonly StoredChangeset[] {
  const rows = connection.all<ChangesetColumns>(
    `select *, ${CHANGESET_RUN} as run_id from changesets
     where thread_key = :key and version > :after order by version limit :limit`,
    { key: thread.key, ...range },
  );
  return rows.map((row) => {
    const run_id = row.run_id === null ? null : unescapeText(row.run_id);
    return {
      thread_id: thread.thread_id,
      version: row.version,
      changeset_id: row.changeset_id,
      run_id,
      text: row,
      patches: patchesOf(row),
      messages: selectMessagesOf(connection, thread.key, { ...row, run_id }),
      segments: selectSegmentsOf(connection, row),
    };
  });
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
  if (messages === 0) return [];
  const rows = connection.all<MessageColumns>(
    `select id, format, checksum, body from messages
     where thread_key = :key and position >= :first and position < :end order by position`,
    { key: threadKey, first: first_position, end: first_position + messages },
  );
  return rows.map((row) => ({ id: unescapeText(row.id), run_id, text: row }));
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
function selectSegmentsOf(
  connection: Connection,
  { first_segment, segments }: Pick<ChangesetColumns, "first_segment" | "segments">,
): readonly StoredSegment[] {
  if (first_segment === null) return [];
  const rows = connection.all<SegmentColumns>(
    `select segments.*, runs.run_id from segments join runs on runs.key = segments.run_key
     where segments.key >= :first and segments.key < :end order by segments.key`,
    { first: first_segment, end: first_segment + segments },
  );
  return rows.map((row) => ({ ...row, run_id: unescapeText(row.run_id), text: row }));
}
