import type { Thread } from "@reprise/contracts";
import { checksumOf } from "../codec/checksum.ts";
import { fromThreadColumns, type MetadataColumns, type ThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { History, QueueRows, ThreadDemand, ThreadRows } from "../kernel/demand.ts";
import type { EntryRow } from "../kernel/rows.ts";
import type { Connection } from "./connection.ts";
import { readHistory } from "./read-history.ts";
import {
  type RunWithJournal,
  selectCall,
  selectDecision,
  selectEntries,
  selectRunColumns,
  toRunRow,
} from "./select-rows.ts";

/** The rows that were demanded, and the number under which the thread's children are filed. */
export interface DemandedRows {
  readonly rows: ThreadRows;
  readonly threadKey: number | undefined;
  readonly stored: StoredColumns;
}

/** Rows as they are stored, for the writes: columns that stay the same need not be written. */
export interface StoredColumns {
  readonly thread: ThreadColumns | undefined;
  readonly metadata: Thread["metadata"] | undefined;
  readonly runs: ReadonlyMap<string, RunWithJournal>;
}

/** Reads everything a demand asks for, inside the writer's transaction. */
export function readDemand(connection: Connection, demand: ThreadDemand, now: number): DemandedRows {
  const { tenant } = demand;
  const columns = selectThread(connection, demand);
  const threadKey = columns?.key;
  const thread = columns === undefined ? undefined : fromThreadColumns(columns);
  const openRunId = thread?.open_run_id ?? undefined;
  const runIds = new Set([...(demand.run_ids ?? []), ...(openRunId === undefined ? [] : [openRunId])]);
  const runs = selectRuns(connection, tenant, runIds);
  const history = readHistoryOf(connection, demand);
  const rows: ThreadRows = {
    ...(thread === undefined ? {} : { thread }),
    retired_epoch: thread === undefined ? selectRetiredEpoch(connection, demand) : 0,
    known_versions: selectVersions(connection, threadKey, demand.changeset_ids ?? []),
    message_ids: threadKey === undefined ? [] : selectMessageIds(connection, threadKey, demand.message_ids ?? []),
    runs: Array.from(runs.values(), toRunRow),
    calls: (demand.calls ?? []).flatMap((key) => selectCall(connection, tenant, key) ?? []),
    decisions: (demand.decisions ?? []).flatMap((key) => selectDecision(connection, tenant, key) ?? []),
    entries: collectEntries(connection, demand, { threadKey, runs, now }),
    queue: threadKey === undefined ? NO_QUEUE : selectQueue(connection, threadKey),
    ...(history === undefined ? {} : { history }),
  };
  return { rows, threadKey, stored: { thread: columns, metadata: thread?.thread.metadata, runs } };
}

function selectRuns(
  connection: Connection,
  tenant: string,
  runIds: Iterable<string>,
): ReadonlyMap<string, RunWithJournal> {
  const runs = new Map<string, RunWithJournal>();
  for (const runId of runIds) {
    const found = selectRunColumns(connection, tenant, runId);
    if (found !== undefined) runs.set(runId, found);
  }
  return runs;
}

const NO_QUEUE: QueueRows = { next_at: null, next_continue_at: null };

type KeyedThread = ThreadColumns & MetadataColumns & { readonly key: number };

function selectThread(connection: Connection, { tenant, thread }: ThreadDemand): KeyedThread | undefined {
  if ("thread_id" in thread) {
    return connection.get<KeyedThread>("select * from threads where tenant = :tenant and thread_id = :thread_id", {
      tenant,
      thread_id: thread.thread_id,
    });
  }
  return connection.get<KeyedThread>(
    `select * from threads where key = coalesce(
       (select thread_key from runs where tenant = :tenant and run_id = :run_id),
       (select thread_key from entries where tenant = :tenant and run_id = :run_id and kind = 'run'))`,
    { tenant, run_id: escapeText(thread.run_id) },
  );
}

function selectRetiredEpoch(connection: Connection, { tenant, thread }: ThreadDemand): number {
  if (!("thread_id" in thread)) return 0;
  const sql = "select epoch from retired_epochs where tenant = :tenant and thread_id = :thread_id";
  return connection.get<{ readonly epoch: number }>(sql, { tenant, thread_id: thread.thread_id })?.epoch ?? 0;
}

function selectVersions(
  connection: Connection,
  threadKey: number | undefined,
  ids: readonly string[],
): ReadonlyMap<string, number> {
  const versions = new Map<string, number>();
  if (threadKey === undefined) return versions;
  const sql =
    "select version from changesets where thread_key = :thread_key and id_hash = :hash and changeset_id = :id";
  for (const id of ids) {
    const parameters = { thread_key: threadKey, hash: checksumOf(id), id };
    const found = connection.get<{ readonly version: number }>(sql, parameters);
    if (found !== undefined) versions.set(id, found.version);
  }
  return versions;
}

function selectMessageIds(connection: Connection, threadKey: number, ids: readonly string[]): readonly string[] {
  const sql = "select 1 as found from messages where thread_key = :thread_key and id_hash = :hash and id = :id";
  return ids.filter((id) => {
    const escaped = escapeText(id);
    return connection.get(sql, { thread_key: threadKey, hash: checksumOf(escaped), id: escaped }) !== undefined;
  });
}

function selectQueue(connection: Connection, threadKey: number): QueueRows {
  return (
    connection.get<QueueRows>(
      `select (select min(available_at) from entries where thread_key = :thread_key and place = 'run') as next_at,
         (select min(available_at) from entries
          where thread_key = :thread_key and place = 'run' and busy_policy = 'continue') as next_continue_at`,
      { thread_key: threadKey },
    ) ?? NO_QUEUE
  );
}

function collectEntries(
  connection: Connection,
  demand: ThreadDemand,
  known: {
    readonly threadKey: number | undefined;
    readonly runs: ReadonlyMap<string, RunWithJournal>;
    readonly now: number;
  },
): readonly EntryRow[] {
  const { tenant, entry_ids = [] } = demand;
  const entry_run_ids = (demand.entry_run_ids ?? []).filter((runId) => !known.runs.has(runId));
  const found = [
    ...entry_ids.map((id) => ["entries.tenant = :tenant and entry_id = :id", { tenant, id: escapeText(id) }] as const),
    ...entry_run_ids.map(
      (id) => ["entries.tenant = :tenant and run_id = :id and kind = 'run'", { tenant, id: escapeText(id) }] as const,
    ),
    ...(known.threadKey === undefined ? [] : ofThread(demand, known.threadKey, known.now)),
  ].flatMap(([condition, parameters]) => selectEntries(connection, condition, parameters));
  return [...new Map(found.map((row) => [row.entry.entry_id, row])).values()];
}

const OVER = "thread_key = :thread_key and place is null and entries.updated_at < :before limit :limit";

const FIRST = "order by priority desc, arrival limit 1";

function ofThread({ dedupe_key, queued_runs, heads, over_entries }: ThreadDemand, threadKey: number, now: number) {
  const thread = { thread_key: threadKey };
  const heading = { ...thread, now };
  const runs = "thread_key = :thread_key and place = 'run'";
  return [
    ["thread_key = :thread_key and place in ('wake', 'claimed')", thread] as const,
    ...(dedupe_key === undefined
      ? []
      : [["thread_key = :thread_key and dedupe_key = :key", { ...thread, key: escapeText(dedupe_key) }] as const]),
    ...(queued_runs === undefined ? [] : [[runs, thread] as const]),
    ...(over_entries === undefined ? [] : [[OVER, { ...thread, ...over_entries }] as const]),
    ...(heads === undefined
      ? []
      : [
          [`${runs} and available_at <= :now ${FIRST}`, heading] as const,
          [`${runs} and available_at <= :now and busy_policy = 'continue' ${FIRST}`, heading] as const,
          [`${runs} and available_at > :now and attempts > 0 ${FIRST}`, heading] as const,
        ]),
  ];
}

function readHistoryOf(connection: Connection, { tenant, history }: ThreadDemand): History | undefined {
  return history === undefined ? undefined : readHistory(connection, tenant, history.thread_id, history.up_to);
}
