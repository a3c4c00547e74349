import type { ThreadQuery } from "@reprise/contracts";
import { damaged } from "../../codec/stored-text.ts";
import type { MessageRow, MessageRows, MessageSelection, RowReader } from "../../shell/row-reader.ts";
import type { CommitCell } from "../cells.ts";
import { cutRows, isAsked } from "./cut-rows.ts";
import { isThere, type ReadPorts, type ThereThread } from "./find-thread.ts";
import { commitsAfter, loadContents } from "./load-contents.ts";

export type ThreadReads = Pick<
  RowReader,
  "loadThread" | "pageThreads" | "listThreads" | "readMessages" | "loadSnapshot" | "readPatches" | "readCommits"
>;

/** Reads of threads and what is filed under them. */
export function createThreadReads(ports: ReadPorts): ThreadReads {
  return {
    async loadThread(tenant, threadId) {
      const thread = ports.findThread(tenant, threadId);
      if (thread === undefined) return undefined;
      const run = thread.runs.get(thread.row.open_run_id ?? "");
      return { thread: thread.row, ...(run === undefined ? {} : { open_run: run.row.record }) };
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
    async readMessages(tenant, threadId, selection) {
      const thread = ports.findThread(tenant, threadId);
      return thread === undefined ? { rows: [], superseded: [] } : readMessages(thread, selection);
    },
    async loadSnapshot(tenant, threadId, version = Number.MAX_SAFE_INTEGER) {
      const snapshots = ports.findThread(tenant, threadId)?.snapshots;
      const cell = snapshots?.findLast((snapshot) => snapshot.version <= version);
      const state = await cell?.load();
      return cell === undefined || state === undefined ? undefined : { version: cell.version, state };
    },
    async readPatches(tenant, threadId, { after, upTo = Number.MAX_SAFE_INTEGER }) {
      const thread = ports.findThread(tenant, threadId);
      const cells = thread === undefined ? [] : commitsAfter(thread, after, upTo);
      const loaded = await Promise.all(cells.map((cell) => (cell.has_patches && !cell.is_pruned ? cell.load() : null)));
      if (loaded.includes(undefined)) return [];
      return cells.map((cell, index) => ({
        version: cell.version,
        is_pruned: cell.is_pruned,
        open: () => loaded[index]?.patches() ?? [],
      }));
    },
    async readCommits(tenant, threadId, { after, limit }) {
      const thread = ports.findThread(tenant, threadId);
      const cells = thread === undefined ? [] : commitsAfter(thread, after, Math.floor(after) + limit);
      const contents = (await loadContents(cells)) ?? [];
      return contents.map((content, index) => {
        const { version = 0, is_pruned = false } = cells[index] ?? {};
        return { version, is_pruned, open: () => content.changeset() };
      });
    },
  };
}

function isAskedFor({ row }: ThereThread, { resource_id, parent_thread_id }: ThreadQuery): boolean {
  return isAsked(resource_id, row.thread.resource_id) && isAsked(parent_thread_id, row.thread.parent_thread_id);
}

/** The commits with messages that were asked for. */
async function readMessages(thread: ThereThread, selection: MessageSelection): Promise<MessageRows> {
  const cells = chooseCommits(thread, selection);
  const superseded = [...thread.superseded];
  const contents = (await loadContents(cells)) ?? [];
  const rows = contents.map((content, index): MessageRow => {
    const { first_position = 0, message_count = 0, run_id = null } = cells[index] ?? {};
    return { first_position, message_count, run_id, open: () => content.messages() };
  });
  return { rows, superseded };
}

/** Throws `CORRUPT_DATA` where a commit is missing. */
function chooseCommits(
  thread: ThereThread,
  { first, last: asked, order, only_shown, run_id, limit = Number.POSITIVE_INFINITY }: MessageSelection,
): readonly CommitCell[] {
  const chosen: CommitCell[] = [];
  const last = Math.min(asked, thread.row.messages - 1);
  // The position that has to be in the next commit.
  let next = order === "asc" ? first : last;
  for (const cell of thread.commits.withMessages(first, last, order)) {
    const { first_position, message_count } = cell;
    if (next < first_position || next >= first_position + message_count) break;
    next = order === "asc" ? first_position + message_count : first_position - 1;
    const isAsked = (run_id === undefined || cell.run_id === run_id) && (!only_shown || cell.shown_count > 0);
    if (isAsked) chosen.push(cell);
    if (chosen.length === limit) return chosen;
  }
  if (next >= first && next <= last) throw damaged("commit");
  return chosen;
}
