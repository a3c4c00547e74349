import type { ThreadQuery } from "@reprise/contracts";
import type { RowReader } from "../../shell/row-reader.ts";
import { cutRows, isAsked } from "./cut-rows.ts";
import { isThere, type ReadPorts, type ThereThread } from "./find-thread.ts";
import { readPage, readRange } from "./read-messages.ts";
import { versionsOf } from "./read-versions.ts";
import { loadRows, loadSnapshotRow } from "./stored-rows.ts";

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

/** Reads of threads and what is filed under them. */
export function createThreadReads(ports: ReadPorts): ThreadReads {
  return {
    async loadThread(tenant, threadId) {
      const thread = ports.findThread(tenant, threadId);
      if (thread === undefined) return undefined;
      const run = thread.runs.get(thread.row.open_run_id ?? "");
      return { thread: thread.row, ...(run === undefined ? {} : { open_run: run.record }) };
    },
    async pageThreads(after, limit) {
      const { tenant = "", thread_id = "" } = after ?? {};
      const page = ports.tables.threads.after({ tenant: { tenant }, threadId: thread_id }, limit).filter(isThere);
      return page.map(({ tenant: { tenant: name }, row }) => ({
        tenant: name,
        thread: row.thread,
        pruned_version: row.pruned_version,
      }));
    },
    async listThreads(tenant, query, cut) {
      const threads = [...(ports.tables.findTenant(tenant)?.threads.values() ?? [])].filter(isThere);
      const found = threads.filter((thread) => isAskedFor(thread, query));
      found.sort((thread, other) => other.order - thread.order);
      return cutRows(found, cut, ({ row }) => row.thread);
    },
    async listMessages(tenant, threadId, selection) {
      const thread = ports.findThread(tenant, threadId);
      return thread === undefined ? [] : readPage(thread, selection);
    },
    async readMessages(tenant, threadId, from) {
      const thread = ports.findThread(tenant, threadId);
      return thread === undefined ? [] : readRange(thread, from);
    },
    async readMessagesOf(tenant, threadId, version) {
      const thread = ports.findThread(tenant, threadId);
      const cell = thread?.versions.get(version);
      if (thread === undefined || cell === undefined || cell.messages.length === 0) return [];
      const rows = await loadRows(thread, [cell]);
      return rows === undefined ? [] : cell.messages.map((message) => rows.message(message));
    },
    async loadSnapshot(tenant, threadId, version = Number.MAX_SAFE_INTEGER) {
      const thread = ports.findThread(tenant, threadId);
      return thread === undefined ? undefined : loadSnapshotRow(thread, version);
    },
    async readPatches(tenant, threadId, { after, upTo = Number.MAX_SAFE_INTEGER }) {
      const thread = ports.findThread(tenant, threadId);
      if (thread === undefined) return [];
      const versions = versionsOf(thread, after, upTo);
      const rows = await loadRows(
        thread,
        versions.filter(({ hasPatches, isPruned }) => hasPatches && !isPruned),
      );
      if (rows === undefined) return [];
      return versions.map((cell) => ({ version: cell.version, run_id: cell.run_id, patches: rows.patches(cell) }));
    },
    async readChangesets(tenant, threadId, { after, limit }) {
      const thread = ports.findThread(tenant, threadId);
      if (thread === undefined) return [];
      const versions = versionsOf(thread, after, Math.floor(after) + limit);
      const rows = await loadRows(thread, versions);
      return rows === undefined ? [] : versions.map((cell) => rows.changeset(threadId, cell));
    },
  };
}

function isAskedFor({ row }: ThereThread, { resource_id, parent_thread_id }: ThreadQuery): boolean {
  return isAsked(resource_id, row.thread.resource_id) && isAsked(parent_thread_id, row.thread.parent_thread_id);
}
