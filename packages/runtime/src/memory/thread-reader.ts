import { type Changeset, clampLimit, type ThreadReader, versionGone } from "@reprise/contracts";
import { pageMessages } from "./message-page.ts";
import { cutPage, fits } from "./pages.ts";
import { findSnapshot } from "./snapshots.ts";
import { openRunOf, type TenantWorld } from "./tenant-world.ts";

/** Reads of threads. A thread that is not there has nothing, which is no error. */
export function createThreadReader(world: TenantWorld): ThreadReader {
  return {
    async loadThread(threadId) {
      const cell = world.threads.get(threadId);
      if (cell === undefined) return undefined;
      const run = openRunOf(cell)?.record;
      return { thread: cell.thread, generation: cell.generation, ...(run === undefined ? {} : { open_run: run }) };
    },
    async listThreads(query = {}) {
      const threads = Array.from(world.threads.values(), ({ thread }) => thread).filter(
        ({ resource_id, parent_thread_id }) =>
          fits(query.resource_id, resource_id) && fits(query.parent_thread_id, parent_thread_id),
      );
      return cutPage(threads.reverse(), query);
    },
    async listMessages(threadId, query = {}) {
      const cell = world.threads.get(threadId);
      return cell === undefined ? { messages: [], has_more: false } : pageMessages(cell, query);
    },
    async readMessages(threadId, from) {
      const cell = world.threads.get(threadId);
      if (cell === undefined) return { messages: [], superseded: [], next: from };
      const tail = cell.messages.slice(from).map(({ message }) => message);
      const messages = tail.filter((_, index) => !cell.superseded.has(from + index));
      const superseded = tail.filter((_, index) => cell.superseded.has(from + index)).map(({ id }) => id);
      return { messages, superseded, next: Math.max(from, cell.messages.length) };
    },
    async loadSnapshot(threadId, version = Number.POSITIVE_INFINITY) {
      const cell = world.threads.get(threadId);
      return cell === undefined ? undefined : findSnapshot(cell, version);
    },
    async readPatches(threadId, after, upTo) {
      return changesetsAfter(world, threadId, after, upTo).map(({ version, patches }) => ({ version, patches }));
    },
    async readChangesets(threadId, after, limit) {
      return changesetsAfter(world, threadId, after, Math.max(after, 0) + clampLimit(limit));
    },
  };
}

/** Throws `VERSION_GONE` when some of them are. */
function changesetsAfter(
  world: TenantWorld,
  threadId: string,
  after: number,
  upTo?: number,
): readonly (Changeset & { readonly version: number })[] {
  const cell = world.threads.get(threadId);
  if (cell === undefined) return [];
  const oldest = cell.base?.version ?? 0;
  const from = Math.max(after, 0);
  const until = Math.min(upTo ?? cell.thread.version, cell.thread.version);
  if (from < oldest && until > from) throw versionGone(threadId, after, oldest);
  return cell.changesets.slice(from - oldest, Math.max(until - oldest, 0));
}
