import { fromRunColumns, type RunColumns } from "../codec/columns/run-columns.ts";
import {
  fromThreadColumns,
  type MetadataColumns,
  type ThreadColumns,
  threadOf,
} from "../codec/columns/thread-columns.ts";
import { unescapeText } from "../codec/escape-text.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { RowReader } from "../shell/row-reader.ts";
import { OPEN_RUN_OF_THREAD, RUN_COLUMNS, THREAD_COLUMNS } from "./demand-statements.ts";
import { ceilBound, floorBound, storedId } from "./hostile-values.ts";
import { listRows } from "./list-rows.ts";
import {
  type Ask,
  CHANGESET_RUN,
  type PatchColumns,
  patchesOf,
  selectChangesets,
  THREAD_NUMBER,
} from "./select-changesets.ts";
import { selectMessagesOfVersion, selectPage, selectTail } from "./select-messages.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";
import { Where } from "./where.ts";

export type ThreadReads = Pick<
  RowReader,
  | "loadThread"
  | "pageThreads"
  | "listThreads"
  | "listMessages"
  | "readMessages"
  | "readMessagesOf"
  | "loadSnapshot"
  | "readPatches"
  | "readChangesets"
>;

type ThreadRecord = ThreadColumns & MetadataColumns;
type RunRecord = RunColumns & { readonly thread_id: string };

const SELECT_THREAD = prepared(`select ${THREAD_COLUMNS} from threads where tenant = $1 and thread_id = $2`);

const PAGE_THREADS = prepared(
  `select ${THREAD_COLUMNS} from threads where (tenant, thread_id) > ($1, $2)
   order by tenant, thread_id limit $3::bigint`,
);

const SELECT_OPEN_RUN = prepared(
  `select ${RUN_COLUMNS} from threads ${OPEN_RUN_OF_THREAD} where threads.tenant = $1 and threads.thread_id = $2`,
);

const SELECT_SNAPSHOT = prepared(
  `select version, format, checksum, body from snapshots
   where thread_key = ${THREAD_NUMBER} and version <= $3::bigint order by version desc limit 1`,
);

const SELECT_PATCHES = prepared(
  `select version, ${CHANGESET_RUN} as run_id, format, patches_checksum, patches from changesets
   where thread_key = ${THREAD_NUMBER} and version > $3::bigint and version <= $4::bigint order by version`,
);

/** Reads of threads and what is filed under them. */
export function createThreadReads(ask: Ask): ThreadReads {
  return {
    async loadThread(tenant, threadId) {
      const place = [tenant, storedId(threadId)] as const;
      const results = await ask([SELECT_THREAD(...place), SELECT_OPEN_RUN(...place)]);
      const [columns] = rowsOf<ThreadRecord>(results, 0);
      if (columns === undefined) return undefined;
      const [run] = rowsOf<RunRecord>(results, 1);
      return { thread: fromThreadColumns(columns), ...(run === undefined ? {} : { open_run: fromRunColumns(run) }) };
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
    listMessages: (tenant, threadId, selection) => selectPage(ask, placeOf(tenant, threadId), selection),
    readMessagesOf: (tenant, threadId, version) => selectMessagesOfVersion(ask, placeOf(tenant, threadId), version),
    readMessages: (tenant, threadId, from) => selectTail(ask, placeOf(tenant, threadId), ceilBound(from)),
    async loadSnapshot(tenant, threadId, version = Number.MAX_SAFE_INTEGER) {
      // One before every version when it is no number at all.
      const bound = Number.isNaN(version) ? -1 : floorBound(version);
      const results = await ask([SELECT_SNAPSHOT(tenant, storedId(threadId), bound)]);
      const [found] = rowsOf<StoredText & { readonly version: number }>(results);
      return found === undefined ? undefined : { version: found.version, state: found };
    },
    async readPatches(tenant, threadId, { after, upTo = Number.MAX_SAFE_INTEGER }) {
      const range = [floorBound(after), Number.isNaN(upTo) ? -1 : floorBound(upTo)] as const;
      const rows = rowsOf<PatchColumns>(await ask([SELECT_PATCHES(tenant, storedId(threadId), ...range)]));
      return rows.map((row) => {
        return { version: row.version, run_id: row.run_id && unescapeText(row.run_id), patches: patchesOf(row) };
      });
    },
    readChangesets: (tenant, threadId, { after, limit }) =>
      selectChangesets(ask, placeOf(tenant, threadId), { after: floorBound(after), limit }),
  };
}

function placeOf(tenant: string, threadId: string): { readonly tenant: string; readonly thread_id: string } {
  return { tenant, thread_id: storedId(threadId) };
}
