import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import {
  fromThreadColumns,
  type MetadataColumns,
  type ThreadColumns,
  threadOf,
} from "../codec/columns/thread-columns.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { RowReader } from "../shell/row-reader.ts";
import { THREAD_COLUMNS } from "./demand-statements.ts";
import { floorBound, storedId } from "./hostile-values.ts";
import { listRows } from "./list-rows.ts";
import { type Ask, selectCommits, selectMessages, selectPatches, type ThreadIds } from "./select-commits.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";
import { THREAD_NUMBER } from "./table.ts";
import { RUN } from "./tables.ts";
import { Where } from "./where.ts";

export type ThreadReads = Pick<
  RowReader,
  "loadThread" | "pageThreads" | "listThreads" | "readMessages" | "loadSnapshot" | "readPatches" | "readCommits"
>;

type ThreadRecord = ThreadColumns & MetadataColumns;

/** What the columns of a thread's open run are called beside those of the thread. */
const OPEN = "open.";

/** A thread with its open run, whose columns are null when there is none. */
const SELECT_THREAD = prepared(
  `select ${THREAD_COLUMNS}, ${Object.keys(RUN).map((name) => `run_records.${name} as "${OPEN}${name}"`)}
   from threads left join lateral (select * from run_records
     where run_records.tenant = threads.tenant and run_records.run_id = threads.open_run_id offset 0) as run_records on true
   where threads.tenant = $1 and threads.thread_id = $2`,
);

const PAGE_THREADS = prepared(
  `select ${THREAD_COLUMNS} from threads where (tenant, thread_id) > ($1, $2)
   order by tenant, thread_id limit $3::bigint`,
);

const SELECT_SNAPSHOT = prepared(
  `select version, format, checksum, body from snapshots
   where thread_key = ${THREAD_NUMBER} and version <= $3::bigint order by version desc limit 1`,
);

/** Reads of threads and what is filed under them. */
export function createThreadReads(ask: Ask): ThreadReads {
  return {
    async loadThread(tenant, threadId) {
      const [columns] = rowsOf<ThreadRecord>(await ask([SELECT_THREAD(tenant, storedId(threadId))]));
      if (columns === undefined) return undefined;
      const run = openRunOf(columns);
      const open = run === undefined ? {} : { open_run: fromRunColumns(run).record };
      return { thread: fromThreadColumns(columns), ...open };
    },
    async pageThreads(after, limit) {
      const { tenant = "", thread_id = "" } = after ?? {};
      const rows = rowsOf<ThreadRecord & { readonly tenant: string }>(
        await ask([PAGE_THREADS(tenant, thread_id, limit)]),
      );
      return rows.map((row) => ({ tenant: row.tenant, thread: threadOf(row), pruned_version: row.pruned_version }));
    },
    listThreads(tenant, { resource_id, parent_thread_id }, cut) {
      const isFiltered = resource_id !== undefined || parent_thread_id !== undefined;
      const where = new Where()
        .and(isFiltered ? "tenant is not distinct from $" : "(tenant || '') = $", tenant)
        .andText("md5(tenant || ' ' || resource_id) = md5($1 || ' ' || $) and resource_id = $", resource_id)
        .andText(
          "md5(tenant || ' ' || parent_thread_id) = md5($1 || ' ' || $) and parent_thread_id = $",
          parent_thread_id,
        );
      const list = { columns: THREAD_COLUMNS, table: "threads", where, order: "key desc" };
      return listRows<ThreadRecord, ReturnType<typeof threadOf>>(ask, list, cut, threadOf);
    },
    readMessages: (tenant, threadId, selection) => selectMessages(ask, idsOf(tenant, threadId), selection),
    async loadSnapshot(tenant, threadId, version = Number.MAX_SAFE_INTEGER) {
      // One before every version when it is no number at all.
      const bound = Number.isNaN(version) ? -1 : floorBound(version);
      const results = await ask([SELECT_SNAPSHOT(tenant, storedId(threadId), bound)]);
      const [found] = rowsOf<StoredText & { readonly version: number }>(results);
      return found === undefined ? undefined : { version: found.version, state: found };
    },
    readPatches: (tenant, threadId, { after, upTo = Number.MAX_SAFE_INTEGER }) =>
      selectPatches(ask, idsOf(tenant, threadId), {
        after: floorBound(after),
        upTo: Number.isNaN(upTo) ? -1 : floorBound(upTo),
      }),
    readCommits: (tenant, threadId, { after, limit }) =>
      selectCommits(ask, idsOf(tenant, threadId), { after: floorBound(after), limit }),
  };
}

function openRunOf(columns: ThreadRecord): (RunColumns & { readonly thread_id: string }) | undefined {
  // Columns of the open run, as the statement calls them.
  const row = columns as unknown as Readonly<Record<string, unknown>>;
  if (row[`${OPEN}run_id`] === null) return undefined;
  const run = Object.fromEntries(Object.keys(RUN).map((name) => [name, row[OPEN + name]]));
  return { ...(run as unknown as RunColumns), thread_id: columns.thread_id };
}

function idsOf(tenant: string, threadId: string): ThreadIds {
  return { tenant, thread_id: storedId(threadId) };
}
