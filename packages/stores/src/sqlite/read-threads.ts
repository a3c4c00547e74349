import {
  fromThreadColumns,
  type MetadataColumns,
  type ThreadColumns,
  threadOf,
} from "../codec/columns/thread-columns.ts";
import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { RowReader } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import { listRows } from "./list-rows.ts";
import {
  CHANGESET_RUN,
  type PatchColumns,
  patchesOf,
  selectChangesets,
  selectMessagesOfVersion,
} from "./select-changesets.ts";
import { selectPage, selectTail } from "./select-messages.ts";
import { selectRun } from "./select-rows.ts";
import { whereAll } from "./where.ts";

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

type KeyedThread = ThreadColumns & MetadataColumns & { readonly key: number };

/** Reads of threads and what is filed under them. */
export function createThreadReads(connection: Connection): ThreadReads {
  // The index on the two has the key too.
  const findKey = (tenant: string, threadId: string): number | undefined =>
    connection.get<Pick<KeyedThread, "key">>(
      "select key from threads where tenant = :tenant and thread_id = :thread_id",
      { tenant, thread_id: threadId },
    )?.key;
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
    async listMessages(tenant, threadId, selection) {
      const key = findKey(tenant, threadId);
      return key === undefined ? [] : selectPage(connection, key, selection);
    },
    async readMessagesOf(tenant, threadId, version) {
      const key = findKey(tenant, threadId);
      return key === undefined ? [] : selectMessagesOfVersion(connection, key, version);
    },
    async readMessages(tenant, threadId, from) {
      const key = findKey(tenant, threadId);
      return key === undefined ? [] : selectTail(connection, key, from);
    },
    async loadSnapshot(tenant, threadId, version = Number.MAX_SAFE_INTEGER) {
      const key = findKey(tenant, threadId);
      const found =
        key === undefined
          ? undefined
          : connection.get<StoredText & { readonly version: number }>(
              "select * from snapshots where thread_key = :key and version <= :version order by version desc limit 1",
              { key, version },
            );
      return found === undefined ? undefined : { version: found.version, state: found };
    },
    async readPatches(tenant, threadId, { after, upTo = Number.MAX_SAFE_INTEGER }) {
      const key = findKey(tenant, threadId);
      if (key === undefined) return [];
      const rows = connection.all<PatchColumns>(
        `select version, ${CHANGESET_RUN} as run_id, format, patches_checksum, patches from changesets
         where thread_key = :key and version > :after and version <= :up_to order by version`,
        { key, after, up_to: upTo },
      );
      return rows.map((row) => ({ version: row.version, run_id: unescaped(row.run_id), patches: patchesOf(row) }));
    },
    async readChangesets(tenant, threadId, range) {
      const key = findKey(tenant, threadId);
      return key === undefined ? [] : selectChangesets(connection, { key, thread_id: threadId }, range);
    },
  };
}

function escaped(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeText(text);
}

function unescaped(text: string | null): string | null {
  return text === null ? null : unescapeText(text);
}
