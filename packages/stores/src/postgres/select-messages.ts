import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { StoredMessage } from "../codec/open-changeset.ts";
import type { MessageSelection, PositionedMessage } from "../shell/row-reader.ts";
import { type Ask, type MessageColumns, toMessage } from "./select-changesets.ts";
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
  messages.body, changesets.run_id`;

const FROM = `messages join changesets on changesets.tenant = messages.tenant
  and changesets.thread_id = messages.thread_id and changesets.version = messages.version`;

const SELECT_TAIL = prepared(
  `select id, position, version, superseded_version, format, checksum, body from messages
   where tenant = $1 and thread_id = $2 and position >= $3::bigint order by position`,
);

/** The runs of the versions that the tail is of. */
const SELECT_RUNS_OF_TAIL = prepared(
  `select version, run_id from changesets where tenant = $1 and thread_id = $2 and version >= (
     select version from messages where tenant = $1 and thread_id = $2 and position >= $3::bigint
     order by position limit 1)`,
);

const SELECT_OF_VERSION = prepared(
  `select messages.id, messages.position, messages.format, messages.checksum, messages.body, changesets.run_id
   from changesets join messages on messages.tenant = changesets.tenant and messages.thread_id = changesets.thread_id
     and messages.position >= changesets.first_position
     and messages.position < changesets.first_position + changesets.messages
   where changesets.tenant = $1 and changesets.thread_id = $2 and changesets.version = $3::bigint
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
    .and("messages.tenant = $", tenant)
    .and("messages.thread_id = $", thread_id)
    .and("messages.position >= $::bigint", first)
    .and("messages.position <= $::bigint", last)
    .and("messages.is_internal = $::int", visibility === "any" ? undefined : visibility === "internal" ? 1 : 0)
    .and("changesets.run_id = $", run_id === undefined ? undefined : escapeText(run_id));
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
