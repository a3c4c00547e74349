import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { MessageSelection, PositionedMessage } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import { CHANGESET_RUN } from "./select-changesets.ts";
import { type Where, whereAll } from "./where.ts";

interface MessageColumns extends StoredText {
  readonly id: string;
  readonly position: number;
  readonly version: number;
  readonly superseded_version: number | null;
}

const COLUMNS = `messages.id, messages.position, messages.version, messages.superseded_version,
  messages.format, messages.checksum, messages.body`;

/** One page of a thread's messages. */
export function selectPage(
  connection: Connection,
  threadKey: number,
  selection: MessageSelection,
): readonly PositionedMessage[] {
  const { sql, parameters } = whereSelection(threadKey, selection);
  const order = selection.order === "asc" ? "position" : "position desc";
  const rows = connection.all<MessageColumns>(
    `select ${COLUMNS} from messages
     join changesets on changesets.thread_key = messages.thread_key and changesets.version = messages.version
     where ${sql} order by ${order} limit :limit`,
    { ...parameters, limit: selection.limit },
  );
  return withRuns(connection, threadKey, rows);
}

/** All messages from a position on. Whole threads are read this way, so it takes no more columns and joins than it needs. */
export function selectTail(connection: Connection, threadKey: number, from: number): readonly PositionedMessage[] {
  const rows = connection.all<MessageColumns>(
    `select ${COLUMNS} from messages where thread_key = :key and position >= :from order by position`,
    { key: threadKey, from },
  );
  return withRuns(connection, threadKey, rows);
}

/** What a thread said up to a version, with what superseded it. */
export function selectUpTo(
  connection: Connection,
  threadKey: number,
  version: number,
): readonly (PositionedMessage & { readonly superseded_version: number | null })[] {
  const rows = connection.all<MessageColumns>(
    `select ${COLUMNS} from messages where thread_key = :key and position < (
       select first_position + messages from changesets where thread_key = :key and version = :version) order by position`,
    { key: threadKey, version },
  );
  const messages = withRuns(connection, threadKey, rows);
  return messages.map((message, index) => ({
    ...message,
    superseded_version: rows[index]?.superseded_version ?? null,
  }));
}

/** Adds the run that brought each message. They are in order, one way or the other, and many share a version. */
function withRuns(
  connection: Connection,
  threadKey: number,
  rows: readonly MessageColumns[],
): readonly PositionedMessage[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const found = connection.all<{ readonly version: number; readonly run_id: string | null }>(
    `select version, ${CHANGESET_RUN} as run_id from changesets
     where thread_key = :key and version >= :first and version <= :last`,
    { key: threadKey, first: Math.min(first.version, last.version), last: Math.max(first.version, last.version) },
  );
  const runs = new Map(found.map(({ version, run_id }) => [version, run_id === null ? null : unescapeText(run_id)]));
  return rows.map((row) => ({
    id: unescapeText(row.id),
    run_id: runs.get(row.version) ?? null,
    position: row.position,
    is_superseded: row.superseded_version !== null,
    text: row,
  }));
}

function whereSelection(key: number, selection: MessageSelection): Where {
  const { first, last, visibility, include_superseded, run_id } = selection;
  const where = whereAll([
    { condition: "messages.thread_key = :key", name: "key", value: key },
    { condition: "position >= :first", name: "first", value: first },
    { condition: "position <= :last", name: "last", value: last },
    { condition: "is_internal = :internal", name: "internal", value: isInternal(visibility) },
    { condition: `${CHANGESET_RUN} = :run_id`, name: "run_id", value: run_id && escapeText(run_id) },
  ]);
  return include_superseded ? where : { ...where, sql: `${where.sql} and superseded_version is null` };
}

function isInternal(visibility: MessageSelection["visibility"]): number | undefined {
  return visibility === "any" ? undefined : visibility === "internal" ? 1 : 0;
}
