import { fromThreadColumns, type MetadataColumns, type ThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText, unescapeText } from "../codec/escape-text.ts";
import { idKey } from "../codec/id-key.ts";
import type { CallKey, History, QueueRows, ThreadDemand, ThreadRows } from "../kernel/demand.ts";
import { NO_QUEUE } from "../kernel/held-write.ts";
import type { CallRow, EntryRow } from "../kernel/rows.ts";
import type { Connection } from "./connection.ts";
import { readHistory } from "./read-history.ts";
import { selectSuperseded } from "./select-commits.ts";
import {
  type FoundRun,
  selectDecision,
  selectEndedCall,
  selectEntries,
  selectPendingDecisions,
  selectRun,
} from "./select-rows.ts";

/** The rows that were demanded, and the number under which the thread's children are filed. */
export interface DemandedRows {
  readonly rows: ThreadRows;
  readonly threadKey: number | undefined;
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
  const ids = (kind: string, wanted: readonly string[] | undefined): ReadonlyMap<string, number> =>
    threadKey === undefined ? new Map() : selectIds(connection, threadKey, kind, wanted ?? []);
  const rows: ThreadRows = {
    ...(thread === undefined ? {} : { thread }),
    retired_epoch: thread === undefined ? selectRetiredEpoch(connection, demand) : 0,
    known_versions: ids("changeset", demand.changeset_ids),
    message_ids: [...ids("message", demand.message_ids).keys()],
    runs: [...runs.values()],
    calls: (demand.calls ?? []).flatMap((key) => selectEnded(connection, runs, key) ?? []),
    decisions: selectDecisions(connection, demand, openRunId),
    entries: collectEntries(connection, demand, { threadKey, runs, now }),
    queue: threadKey === undefined ? NO_QUEUE : selectQueue(connection, threadKey),
    positions: ids("message", demand.superseded_ids),
    superseded:
      threadKey === undefined || demand.superseded_ids === undefined ? [] : selectSuperseded(connection, threadKey),
    ...(history === undefined ? {} : { history }),
  };
  return { rows, threadKey };
}

function selectRuns(connection: Connection, tenant: string, runIds: Iterable<string>): ReadonlyMap<string, FoundRun> {
  const runs = new Map<string, FoundRun>();
  for (const runId of runIds) {
    const found = selectRun(connection, tenant, runId);
    if (found !== undefined) runs.set(runId, found);
  }
  return runs;
}

/** Where the thread has these ids. */
function selectIds(
  connection: Connection,
  threadKey: number,
  kind: string,
  ids: readonly string[],
): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const id of ids) {
    const found = connection.get<{ readonly number: number }>(
      "select number from thread_ids where thread_key = :key and kind = :kind and id = :id",
      { key: threadKey, kind, id: idKey(id) },
    );
    if (found !== undefined) numbers.set(id, found.number);
  }
  return numbers;
}

/** A demanded call, if it is over. An open one comes with its run. */
function selectEnded(connection: Connection, runs: ReadonlyMap<string, FoundRun>, key: CallKey): CallRow | undefined {
  const run = runs.get(key.run_id);
  if (run === undefined || run.open_calls.some(({ call_id }) => call_id === key.call_id)) return undefined;
  return selectEndedCall(connection, run, key);
}

function selectDecisions(
  connection: Connection,
  { tenant, decisions = [], pending_decisions }: ThreadDemand,
  openRunId: string | undefined,
): ThreadRows["decisions"] {
  const demanded = decisions.flatMap((key) => selectDecision(connection, tenant, key) ?? []);
  if (pending_decisions === undefined || openRunId === undefined) return demanded;
  const isDemanded = ({ call_id, suspension }: { readonly call_id: string; readonly suspension: number }): boolean =>
    demanded.some(({ decision }) => decision.call_id === call_id && decision.suspension === suspension);
  const pending = selectPendingDecisions(connection, tenant, openRunId);
  return [...demanded, ...pending.filter(({ decision }) => !isDemanded(decision))];
}

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
       (select thread_key from run_records where tenant = :tenant and run_id = :run_id),
       (select thread_key from entries where tenant = :tenant and run_id = :run_id and kind = 'run'))`,
    { tenant, run_id: escapeText(thread.run_id) },
  );
}

function selectRetiredEpoch(connection: Connection, { tenant, thread }: ThreadDemand): number {
  if (!("thread_id" in thread)) return 0;
  const sql = "select epoch from retired_epochs where tenant = :tenant and thread_id = :thread_id";
  return connection.get<{ readonly epoch: number }>(sql, { tenant, thread_id: thread.thread_id })?.epoch ?? 0;
}

function selectQueue(connection: Connection, threadKey: number): QueueRows {
  const rows =
    connection.get<QueueRows>(
      `select (select min(available_at) from entries where thread_key = :thread_key and place = 'run') as next_at,
         (select min(available_at) from entries
          where thread_key = :thread_key and place = 'run' and busy_policy = 'continue') as next_continue_at,
         (select min(agent_id) from entries where thread_key = :thread_key and place = 'run') as first_agent,
         (select max(agent_id) from entries where thread_key = :thread_key and place = 'run') as last_agent`,
      { thread_key: threadKey },
    ) ?? NO_QUEUE;
  return { ...rows, first_agent: optionalUnescaped(rows.first_agent), last_agent: optionalUnescaped(rows.last_agent) };
}

function optionalUnescaped(text: string | null): string | null {
  return text === null ? null : unescapeText(text);
}

function collectEntries(
  connection: Connection,
  demand: ThreadDemand,
  known: {
    readonly threadKey: number | undefined;
    readonly runs: ReadonlyMap<string, FoundRun>;
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
