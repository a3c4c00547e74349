import type { CommitColumns } from "../codec/columns/commit-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { SupersededRange } from "../kernel/rows.ts";
import {
  type EventColumns,
  type MessageColumns,
  type PatchColumns,
  toCallsRow,
  toCommitRows,
  toEventRows,
  toMessageRow,
  toPatchRows,
} from "../shell/commit-rows.ts";
import type { CallsRow, CommitRow, EventRow, MessageRows, MessageSelection, PatchRow } from "../shell/row-reader.ts";
import { ceilBound, floorBound } from "./hostile-values.ts";
import { type Results, rowsOf } from "./session.ts";
import { type Prepared, prepared, type Query } from "./statement.ts";
import { columnsOf, eachOf, THREAD_NUMBER } from "./table.ts";
import { COMMIT } from "./tables.ts";

/** Who can send queries. */
export type Ask = (queries: readonly Query[]) => Promise<Results>;

/** A thread by its ids, as they are stored. */
export interface ThreadIds {
  readonly tenant: string;
  readonly thread_id: string;
}

/** Every range of superseded messages of the thread, as text: nearly always there is none. */
const SUPERSEDED_RANGES = `(select string_agg(first_position || ' ' || last_position || ' ' || version, ',')
  from superseded where thread_key = ${THREAD_NUMBER})`;

const OF_POSITION = `(thread_key + 0) = ${THREAD_NUMBER} and message_count > 0`;

/** Commits with a position from $3 to $4, the first of which may begin before it. */
const selectMessagesIn = (order: string): Prepared =>
  prepared(`select first_position, message_count, run_id, format, checksums, messages, ${SUPERSEDED_RANGES} as superseded
    from commits where ${OF_POSITION} and first_position <= $4::bigint and first_position >= coalesce(
      (select first_position from commits where ${OF_POSITION} and first_position <= $3::bigint
       order by first_position desc limit 1), 0)
    and first_position + message_count > $3::bigint and shown_count >= $5::int
    and run_id is not distinct from coalesce($6, run_id)
    order by first_position ${order} limit $7::bigint`);

const SELECT_MESSAGES = { asc: selectMessagesIn("asc"), desc: selectMessagesIn("desc") } as const;

const SELECT_PATCHES = prepared(
  `select version, format, checksums, patches from commits
   where thread_key = ${THREAD_NUMBER} and version > $3::bigint and version <= $4::bigint order by version, part`,
);

const SELECT_COMMITS = prepared(
  `select ${columnsOf("commits", COMMIT)} from commits
   where thread_key = ${THREAD_NUMBER} and version > $3::bigint and version <= $4::bigint order by version, part`,
);

const CALLS = "commits.format, commits.checksums, commits.calls";

const SELECT_CALLS_OF_THREAD = prepared(
  `select ${CALLS} from commits where thread_key = ${THREAD_NUMBER} and calls <> '[]' order by version, part`,
);

const SELECT_CALLS_OF_RUN = prepared(
  `select ${CALLS} from run_records ${eachOf(
    "commits",
    `commits.thread_key = run_records.thread_key and commits.version >= run_records.first_version
     and commits.version <= run_records.last_version and commits.calls <> '[]'`,
  )} where run_records.tenant = $1 and run_records.run_id = $2 order by commits.version, commits.part`,
);

/** The versions that have events of a run after a `seq`: its own, and one in which another run ended it. */
const WITH_EVENTS = `cross join lateral (
    (select version from commits where commits.run_id = run_records.run_id and commits.thread_key = run_records.thread_key
       and commits.last_seq > $3::bigint and part = 0 and last_seq is not null and events <> ''
     order by commits.last_seq limit $4::bigint)
    union all
    (select version from commits where commits.closed_run = run_records.run_id
       and commits.thread_key = run_records.thread_key and commits.closed_last_seq > $3::bigint
       and part = 0 and closed_run is not null and events <> ''
     order by commits.closed_last_seq limit $4::bigint)
    order by version limit $4::bigint) as found`;

const SELECT_EVENTS = prepared(
  `select threads.thread_id, commits.version, commits.epoch, commits.run_id, commits.first_seq, commits.closed_run,
     commits.closed_first_seq, commits.format, commits.checksums, commits.messages, commits.events
   from run_records ${WITH_EVENTS}
   ${eachOf("commits", "commits.thread_key = run_records.thread_key and commits.version = found.version")}
   join threads on threads.key = run_records.thread_key
   where run_records.tenant = $1 and run_records.run_id = $2 order by commits.version, commits.part`,
);

const SELECT_LAST_SEQ = prepared(
  `select greatest(
     (select last_seq from commits where commits.run_id = run_records.run_id
        and commits.thread_key = run_records.thread_key and part = 0 and last_seq is not null and epoch <= $3::bigint
      order by last_seq desc limit 1),
     (select closed_last_seq from commits where commits.closed_run = run_records.run_id
        and commits.thread_key = run_records.thread_key and part = 0 and closed_run is not null and epoch <= $3::bigint
      order by closed_last_seq desc limit 1)) as last_seq
   from run_records where run_records.tenant = $1 and run_records.run_id = $2`,
);

/** Commits with messages, in the order that was asked for. */
export async function selectMessages(
  ask: Ask,
  { tenant, thread_id }: ThreadIds,
  { first, last, order, only_shown, run_id, limit }: MessageSelection,
): Promise<MessageRows> {
  const run = run_id === undefined ? null : escapeText(run_id);
  const range = [ceilBound(first), floorBound(last)] as const;
  const query = SELECT_MESSAGES[order](tenant, thread_id, ...range, only_shown ? 1 : 0, run, limit ?? null);
  const rows = rowsOf<MessageColumns & { readonly superseded: string | null }>(await ask([query]));
  return { rows: rows.map(toMessageRow), superseded: parseRanges(rows[0]?.superseded ?? null) };
}

function parseRanges(text: string | null): readonly SupersededRange[] {
  if (text === null) return [];
  return text.split(",").map((range) => {
    const [first_position = 0, last_position = 0, version = 0] = range.split(" ").map(Number);
    return { first_position, last_position, version };
  });
}

export async function selectPatches(
  ask: Ask,
  { tenant, thread_id }: ThreadIds,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<readonly PatchRow[]> {
  return toPatchRows(rowsOf<PatchColumns>(await ask([SELECT_PATCHES(tenant, thread_id, after, upTo)])));
}

/** The commits of so many versions after one. */
export async function selectCommits(
  ask: Ask,
  { tenant, thread_id }: ThreadIds,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly CommitRow[]> {
  const last = floorBound(after + limit);
  return toCommitRows(rowsOf<CommitColumns>(await ask([SELECT_COMMITS(tenant, thread_id, after, last)])), thread_id);
}

/** The commits that changed calls. */
export async function selectCalls(
  ask: Ask,
  of: ThreadIds | { readonly tenant: string; readonly run_id: string },
): Promise<readonly CallsRow[]> {
  const query =
    "thread_id" in of
      ? SELECT_CALLS_OF_THREAD(of.tenant, of.thread_id)
      : SELECT_CALLS_OF_RUN(of.tenant, escapeText(of.run_id));
  return rowsOf<Parameters<typeof toCallsRow>[0]>(await ask([query])).map(toCallsRow);
}

/** The commits with events of a run after a `seq`, in order. */
export async function selectEvents(
  ask: Ask,
  { tenant, run_id }: { readonly tenant: string; readonly run_id: string },
  { afterSeq, limit }: { readonly afterSeq: number; readonly limit: number | undefined },
): Promise<readonly EventRow[]> {
  const query = SELECT_EVENTS(tenant, escapeText(run_id), floorBound(afterSeq), limit ?? null);
  return toEventRows(rowsOf<EventColumns>(await ask([query])), run_id);
}

/** The last `seq` of a run that an epoch or an earlier one wrote. */
export async function selectLastSeq(ask: Ask, tenant: string, runId: string, epoch: number): Promise<number> {
  const bound = Number.isNaN(epoch) ? -1 : floorBound(epoch);
  const results = await ask([SELECT_LAST_SEQ(tenant, escapeText(runId), bound)]);
  return rowsOf<{ readonly last_seq: number | null }>(results)[0]?.last_seq ?? 0;
}
