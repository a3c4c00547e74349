import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { StoredMessage } from "../codec/open-changeset.ts";
import type { MessageSelection, PositionedMessage } from "../shell/row-reader.ts";
import { eachOf } from "./owners.ts";
import {
  type Ask,
  CHANGESET_RUN,
  MESSAGES_OF_CHANGESET,
  type MessageColumns,
  THREAD_NUMBER,
  toMessage,
} from "./select-changesets.ts";
import { rowsOf } from "./session.ts";
import { composed, prepared, type SqlValue } from "./statement.ts";
import { Where } from "./where.ts";

interface Place {
  readonly tenant: string;
  readonly thread_id: string;
}

/** A message with the run whose commit brought it. */
interface MessageWithRun extends MessageColumns {
  readonly run_id: string | null;
  readonly superseded_version: number | null;
}

const COLUMNS = `messages.id, messages.position, messages.superseded_version, messages.format, messages.checksum,
  messages.body, ${CHANGESET_RUN} as run_id`;

const FROM =
  "messages join changesets on changesets.thread_key = messages.thread_key and changesets.version = messages.version";

const SELECT_TAIL = prepared(
  `select id, position, version, superseded_version, format, checksum, body from messages
   where thread_key = ${THREAD_NUMBER} and position >= $3::bigint order by position`,
);

/** The runs of the versions that the tail is of. */
const SELECT_RUNS_OF_TAIL = prepared(
  `select version, ${CHANGESET_RUN} as run_id from changesets where thread_key = ${THREAD_NUMBER} and version >= (
     select version from messages where thread_key = ${THREAD_NUMBER} and position >= $3::bigint
     order by position limit 1)`,
);

const SELECT_OF_VERSION = prepared(
  `select messages.id, messages.position, messages.format, messages.checksum, messages.body, ${CHANGESET_RUN} as run_id
   from changesets ${eachOf("messages", MESSAGES_OF_CHANGESET)}
   where changesets.thread_key = ${THREAD_NUMBER} and changesets.version = $3::bigint
   order by messages.position`,
);

const SELECT_UP_TO = prepared(
  `select ${COLUMNS} from ${FROM} where messages.thread_key = ${THREAD_NUMBER} and messages.position < (
     select first_position + messages from changesets where thread_key = ${THREAD_NUMBER} and version = $3::bigint)
   order by messages.position`,
);

/** One page of a thread's messages. */
export async function selectPage(
  ask: Ask,
  { tenant, thread_id }: Place,
  selection: MessageSelection,
): Promise<readonly PositionedMessage[]> {
  const { first, last, visibility, include_superseded, run_id, limit } = selection;
  const where = new Where()
    .ofThread("messages.thread_key", tenant, thread_id)
    .and("messages.position >= $::bigint", first)
    .and("messages.position <= $::bigint", last)
    .and("messages.is_internal = $::int", visibility === "any" ? undefined : visibility === "internal" ? 1 : 0)
    .and(`${CHANGESET_RUN} = $`, run_id === undefined ? undefined : escapeText(run_id));
  const shown = include_superseded ? "" : "and messages.superseded_version is null";
  const order = selection.order === "asc" ? "" : "desc";
  const values: readonly SqlValue[] = [...where.values, limit];
  const text = `select ${COLUMNS} from ${FROM} where ${where.sql} ${shown}
    order by messages.position ${order} limit $${values.length}::bigint`;
  return rowsOf<MessageWithRun>(await ask([composed(text, values)])).map(toPositioned);
}

/** All messages from a position on. Whole threads are read this way: joined, each message would look for its changeset. */
export async function selectTail(
  ask: Ask,
  { tenant, thread_id }: Place,
  from: number,
): Promise<readonly PositionedMessage[]> {
  const range = [tenant, thread_id, from] as const;
  const results = await ask([SELECT_TAIL(...range), SELECT_RUNS_OF_TAIL(...range)]);
  const versions = rowsOf<{ readonly version: number; readonly run_id: string | null }>(results, 1);
  const runs = new Map(versions.map(({ version, run_id }) => [version, run_id]));
  return rowsOf<MessageColumns & { readonly version: number; readonly superseded_version: number | null }>(results).map(
    (row) => toPositioned({ ...row, run_id: runs.get(row.version) ?? null }),
  );
}

/** What a thread said up to a version, with what superseded it. */
export async function selectUpTo(
  ask: Ask,
  { tenant, thread_id }: Place,
  version: number,
): Promise<readonly (PositionedMessage & { readonly superseded_version: number | null })[]> {
  const rows = rowsOf<MessageWithRun>(await ask([SELECT_UP_TO(tenant, thread_id, version)]));
  return rows.map((row) => ({ ...toPositioned(row), superseded_version: row.superseded_version }));
}

/** The messages that one version brought. */
export async function selectMessagesOfVersion(
  ask: Ask,
  { tenant, thread_id }: Place,
  version: number,
): Promise<readonly StoredMessage[]> {
  const rows = rowsOf<MessageWithRun>(await ask([SELECT_OF_VERSION(tenant, thread_id, version)]));
  return rows.map((row) => toMessage(row, runOf(row)));
}

function toPositioned(row: MessageWithRun): PositionedMessage {
  const is_superseded = row.superseded_version !== null;
  return { ...toMessage(row, runOf(row)), position: row.position, is_superseded };
}

function runOf({ run_id }: MessageWithRun): string | null {
  return run_id === null ? null : unescapeText(run_id);
}
