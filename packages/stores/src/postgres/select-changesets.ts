import { unescapeText } from "../codec/escape-text.ts";
import type { StoredChangeset, StoredMessage, StoredSegment } from "../codec/open-changeset.ts";
import type { StoredText } from "../codec/stored-text.ts";
import { eachOf } from "./owners.ts";
import { fromSegmentList } from "./segment-list.ts";
import { type Results, rowsOf } from "./session.ts";
import { prepared, type Query } from "./statement.ts";
import { askFor } from "./table.ts";
import { RUN_KEY } from "./tables.ts";

export interface ChangesetColumns extends StoredText {
  readonly version: number;
  readonly changeset_id: string;
  readonly run_id: string | null;
  readonly first_position: number;
  readonly messages: number;
  readonly segments: string | null;
  readonly patches_checksum: number;
  readonly patches: string;
}

/** What is needed to open the patches of a version. */
export type PatchColumns = Pick<ChangesetColumns, "version" | "run_id" | "format" | "patches_checksum" | "patches">;

export interface MessageColumns extends StoredText {
  readonly id: string;
  readonly position: number;
}

interface SegmentColumns extends StoredText {
  readonly run_id: string;
  readonly last_seq: number;
  readonly epoch: number;
  readonly first_seq: number;
}

/** The number of the thread with the tenant $1 and the id $2. */
export const THREAD_NUMBER = "(select key from threads where threads.tenant = $1 and threads.thread_id = $2)";

/** The run of a changeset: by its number, or, for one that never began, by its id. */
export const CHANGESET_RUN = `coalesce(changesets.run_id, (select run_id from runs
  where runs.thread_key = changesets.thread_key and runs.key = changesets.run_key))`;

/** The messages that the changeset beside them brought. */
export const MESSAGES_OF_CHANGESET = `messages.thread_key = changesets.thread_key
  and messages.position >= changesets.first_position
  and messages.position < changesets.first_position + changesets.messages`;

const SELECT_CHANGESETS = prepared(
  `select version, changeset_id, ${CHANGESET_RUN} as run_id, first_position, messages, segments, format, checksum, body,
     patches_checksum, patches
   from changesets where thread_key = ${THREAD_NUMBER} and version > $3::bigint order by version limit $4::bigint`,
);

const SELECT_MESSAGES = prepared(
  `select id, position, format, checksum, body from messages
   where thread_key = ${THREAD_NUMBER} and position >= $3::bigint and position < $4::bigint order by position`,
);

const SELECT_SEGMENTS = askFor(
  { ...RUN_KEY, last_seq: "int4" },
  (wanted) => `select runs.run_id, segments.last_seq, segments.first_seq, segments.epoch,
      segments.format, segments.checksum, segments.body
    from ${wanted} join runs on runs.tenant = wanted.tenant and runs.run_id = wanted.run_id
    ${eachOf("segments", "segments.run_key = runs.key and segments.last_seq = wanted.last_seq")}`,
);

/** Who can send queries. */
export type Ask = (queries: readonly Query[]) => Promise<Results>;

/** Changesets of a thread after a version, oldest first, each with its messages and its segments. */
export async function selectChangesets(
  ask: Ask,
  { tenant, thread_id }: { readonly tenant: string; readonly thread_id: string },
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly StoredChangeset[]> {
  const rows = rowsOf<ChangesetColumns>(await ask([SELECT_CHANGESETS(tenant, thread_id, after, limit)]));
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const places = rows.flatMap((row) => fromSegmentList(row.segments, row.run_id));
  const results = await ask([
    SELECT_MESSAGES(tenant, thread_id, first.first_position, last.first_position + last.messages),
    SELECT_SEGMENTS(places.map((place) => ({ tenant, ...place }))),
  ]);
  const messages = rowsOf<MessageColumns>(results, 0);
  const segments = new Map(rowsOf<SegmentColumns>(results, 1).map((row) => [segmentKey(row), row]));
  const base = messages[0]?.position ?? 0;
  return rows.map((row) => {
    const run_id = row.run_id === null ? null : unescapeText(row.run_id);
    const from = row.first_position - base;
    return {
      thread_id,
      version: row.version,
      changeset_id: row.changeset_id,
      run_id,
      text: row,
      patches: patchesOf(row),
      messages:
        row.messages === 0
          ? []
          : messages.slice(from, from + row.messages).map((message) => toMessage(message, run_id)),
      segments: fromSegmentList(row.segments, row.run_id).flatMap((place) =>
        toSegment(segments.get(segmentKey(place))),
      ),
    };
  });
}

export function toMessage(row: MessageColumns, run_id: string | null): StoredMessage {
  return { id: unescapeText(row.id), run_id, text: row };
}

export function patchesOf({ format, patches_checksum, patches }: PatchColumns): StoredText {
  return { format, checksum: patches_checksum, body: patches };
}

function toSegment(row: SegmentColumns | undefined): readonly StoredSegment[] {
  if (row === undefined) return [];
  return [{ run_id: unescapeText(row.run_id), epoch: row.epoch, first_seq: row.first_seq, text: row }];
}

function segmentKey({ run_id, last_seq }: { readonly run_id: string; readonly last_seq: number }): string {
  return `${last_seq} ${run_id}`;
}
