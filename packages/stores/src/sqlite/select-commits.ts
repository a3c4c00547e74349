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
import type { Connection } from "./connection.ts";
import { whereAll } from "./where.ts";

/** The thread whose commits are read. */
export interface ReadThread {
  readonly key: number;
  readonly thread_id: string;
  readonly version: number;
  readonly messages: number;
}

/** The versions in which a run may have something. */
export interface ReadRun {
  readonly run_id: string;
  readonly last_seq: number;
  readonly first_version: number;
  readonly last_version: number;
}

const MESSAGES = "first_position, message_count, run_id, format, checksums, messages";

/** Commits with messages, in the order that was asked for. */
export function selectMessages(connection: Connection, thread: ReadThread, selection: MessageSelection): MessageRows {
  const { first, last, order, only_shown, run_id, limit } = selection;
  // Positions rise with versions, so the versions between which they lie are found without an index of their own.
  const from = first <= 0 ? 0 : versionAt(connection, thread, first);
  const to = last >= thread.messages ? thread.version : versionAt(connection, thread, last);
  const where = whereAll([
    { condition: "thread_key = :key and version >= :from", name: "key", value: thread.key },
    { condition: "version <= :to", name: "to", value: to },
    { condition: "first_position <= :last", name: "last", value: last },
    { condition: "first_position + message_count > :first", name: "first", value: first },
    { condition: "run_id = :run_id", name: "run_id", value: run_id === undefined ? undefined : escapeText(run_id) },
    { condition: only_shown ? "shown_count > :none" : "message_count > :none", name: "none", value: 0 },
  ]);
  const direction = order === "asc" ? "version, part" : "version desc, part desc";
  const rows = connection.all<MessageColumns>(
    `select ${MESSAGES} from commits where ${where.sql} order by ${direction} limit :limit`,
    // A negative limit is none.
    { ...where.parameters, from, limit: limit ?? -1 },
  );
  return { rows: rows.map(toMessageRow), superseded: selectSuperseded(connection, thread.key) };
}

export function selectSuperseded(connection: Connection, threadKey: number): readonly SupersededRange[] {
  return connection.all<SupersededRange>(
    "select first_position, last_position, version from superseded where thread_key = :key order by first_position",
    { key: threadKey },
  );
}

/** The version that has the message at a position, or the last one when none has. */
function versionAt(connection: Connection, { key, version }: ReadThread, position: number): number {
  let low = 1;
  let high = version;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const found = connection.get<{ readonly first_position: number }>(
      "select first_position from commits where thread_key = :key and version = :version and part = 0",
      { key, version: middle },
    );
    if (found !== undefined && found.first_position <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function selectPatches(
  connection: Connection,
  { key }: ReadThread,
  { after, upTo = Number.MAX_SAFE_INTEGER }: { readonly after: number; readonly upTo: number | undefined },
): readonly PatchRow[] {
  const rows = connection.all<PatchColumns>(
    `select version, format, checksums, patches from commits
     where thread_key = :key and version > :after and version <= :up_to order by version, part`,
    { key, after, up_to: upTo },
  );
  return toPatchRows(rows);
}

/** The commits of so many versions after one. */
export function selectCommits(
  connection: Connection,
  { key, thread_id }: Pick<ReadThread, "key" | "thread_id">,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly CommitRow[] {
  const rows = connection.all<CommitColumns>(
    "select * from commits where thread_key = :key and version > :after and version <= :last order by version, part",
    { key, after, last: after + limit },
  );
  return toCommitRows(rows, thread_id);
}

/** Commits that changed calls: of a whole thread, or in the versions of a run. */
export function selectCalls(
  connection: Connection,
  threadKey: number,
  { first_version, last_version }: Pick<ReadRun, "first_version" | "last_version">,
): readonly CallsRow[] {
  const rows = connection.all<Parameters<typeof toCallsRow>[0]>(
    `select format, checksums, calls from commits
     where thread_key = :key and version >= :first and version <= :last and calls <> '[]' order by version, part`,
    { key: threadKey, first: first_version, last: last_version },
  );
  return rows.map(toCallsRow);
}

const OWN_EVENTS = "run_id = :run_id and last_seq > :after";
const CLOSED_EVENTS = "closed_run = :run_id and closed_last_seq > :after";

/** Commits with events of a run after a `seq`. */
export function selectEvents(
  connection: Connection,
  thread: Pick<ReadThread, "key" | "thread_id">,
  run: ReadRun,
  { afterSeq, limit }: { readonly afterSeq: number; readonly limit: number | undefined },
): readonly EventRow[] {
  if (afterSeq >= run.last_seq) return [];
  const rows = connection.all<Omit<EventColumns, "thread_id">>(
    `select version, epoch, run_id, first_seq, closed_run, closed_first_seq, format, checksums, messages, events from commits
     where thread_key = :key and version in (
       select version from commits where thread_key = :key and version >= :first and version <= :last and part = 0
         and ((${OWN_EVENTS}) or (${CLOSED_EVENTS})) and events <> '' order by version limit :limit)
     order by version, part`,
    {
      key: thread.key,
      first: afterSeq <= 0 ? run.first_version : versionOfSeq(connection, thread.key, run, afterSeq),
      last: run.last_version,
      run_id: escapeText(run.run_id),
      after: afterSeq,
      limit: limit ?? -1,
    },
  );
  const { thread_id } = thread;
  return toEventRows(
    rows.map((row) => ({ ...row, thread_id })),
    run.run_id,
  );
}

/** A version of the run at or before the one that has the event after a `seq`: `seq`s rise with versions. */
function versionOfSeq(connection: Connection, key: number, run: ReadRun, seq: number): number {
  let low = run.first_version;
  let high = run.last_version;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const found = connection.get<{ readonly version: number; readonly last_seq: number }>(
      `select version, last_seq from commits where thread_key = :key and version <= :version and version >= :first
         and part = 0 and run_id = :run_id and last_seq is not null order by version desc limit 1`,
      { key, version: middle, first: low, run_id: escapeText(run.run_id) },
    );
    if (found === undefined || found.last_seq <= seq) low = middle;
    else high = found.version === middle ? middle - 1 : Math.max(low, found.version - 1);
  }
  return low;
}

/** The last `seq` of a run that an epoch or an earlier one wrote. */
export function selectLastSeq(connection: Connection, threadKey: number, run: ReadRun, epoch: number): number {
  const found = connection.get<{ readonly last_seq: number }>(
    `select case when run_id = :run_id then last_seq else closed_last_seq end as last_seq from commits
     where thread_key = :key and version >= :first and version <= :last and part = 0 and epoch <= :epoch
       and ((run_id = :run_id and last_seq is not null) or closed_run = :run_id)
     order by version desc limit 1`,
    {
      key: threadKey,
      first: run.first_version,
      last: run.last_version,
      run_id: escapeText(run.run_id),
      epoch,
    },
  );
  return found?.last_seq ?? 0;
}
