import {
  fromThreadColumns,
  type MetadataColumns,
  type ThreadColumns,
  threadOf,
} from "../codec/columns/thread-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { RowReader } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import { listRows } from "./list-rows.ts";
import { type ReadThread, selectCommits, selectMessages, selectPatches } from "./select-commits.ts";
import { selectRun } from "./select-rows.ts";
import { whereAll } from "./where.ts";

export type ThreadReads = Pick<
  RowReader,
  "loadThread" | "pageThreads" | "listThreads" | "readMessages" | "loadSnapshot" | "readPatches" | "readCommits"
>;

type KeyedThread = ThreadColumns & MetadataColumns & { readonly key: number };

/** Reads of threads and what is filed under them. */
export function createThreadReads(connection: Connection): ThreadReads {
  const find = (tenant: string, threadId: string): ReadThread | undefined =>
    connection.get<ReadThread>(
      "select key, thread_id, version, messages from threads where tenant = :tenant and thread_id = :thread_id",
      { tenant, thread_id: threadId },
    );
  return {
    async loadThread(tenant, threadId) {
      const columns = connection.get<KeyedThread>(
        "select * from threads where tenant = :tenant and thread_id = :thread_id",
        { tenant, thread_id: threadId },
      );
      if (columns === undefined) return undefined;
      const thread = fromThreadColumns(columns);
      const run = thread.open_run_id === null ? undefined : selectRun(connection, tenant, thread.open_run_id);
      return { thread, ...(run === undefined ? {} : { open_run: run.record }) };
    },
    async pageThreads(after, limit) {
      const { tenant = "", thread_id = "" } = after ?? {};
      const rows = connection.all<KeyedThread & { readonly tenant: string }>(
        "select * from threads where (tenant, thread_id) > (:tenant, :thread_id) order by tenant, thread_id limit :limit",
        { tenant, thread_id, limit },
      );
      return rows.map((row) => ({ tenant: row.tenant, thread: threadOf(row), pruned_version: row.pruned_version }));
    },
    async listThreads(tenant, { resource_id, parent_thread_id }, cut) {
      const where = whereAll([
        { condition: "tenant = :tenant", name: "tenant", value: tenant },
        { condition: "resource_id = :resource_id", name: "resource_id", value: escaped(resource_id) },
        { condition: "parent_thread_id = :parent", name: "parent", value: escaped(parent_thread_id) },
      ]);
      const list = { columns: "* from threads", count: "threads", where, order: "key desc" };
      return listRows<KeyedThread, ReturnType<typeof threadOf>>(connection, list, cut, threadOf);
    },
    async readMessages(tenant, threadId, selection) {
      const thread = find(tenant, threadId);
      return thread === undefined ? { rows: [], superseded: [] } : selectMessages(connection, thread, selection);
    },
    async loadSnapshot(tenant, threadId, version = Number.MAX_SAFE_INTEGER) {
      const key = find(tenant, threadId)?.key;
      const found =
        key === undefined
          ? undefined
          : connection.get<StoredText & { readonly version: number }>(
              "select * from snapshots where thread_key = :key and version <= :version order by version desc limit 1",
              { key, version },
            );
      return found === undefined ? undefined : { version: found.version, state: found };
    },
    async readPatches(tenant, threadId, range) {
      const thread = find(tenant, threadId);
      return thread === undefined ? [] : selectPatches(connection, thread, range);
    },
    async readCommits(tenant, threadId, range) {
      const thread = find(tenant, threadId);
      return thread === undefined ? [] : selectCommits(connection, thread, range);
    },
  };
}

function escaped(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeText(text);
}
