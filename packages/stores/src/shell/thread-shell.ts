import { clampLimit, type Message, type RepriseError, type ThreadReader, versionGone } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { openChangeset, openPatches, openStoredMessage } from "../codec/open-changeset.ts";
import { isPruned, parseText, readText } from "../codec/stored-text.ts";
import type { ThreadGuard } from "./damage.ts";
import { selectMessages, toMessagePage } from "./message-page.ts";
import { cutOf, toPage } from "./page.ts";
import type { RowReader } from "./row-reader.ts";

/** Reads of threads. A thread that is not there has nothing, which is no error. */
export function createThreadReader(tenant: string, reader: RowReader, guard: ThreadGuard): ThreadReader {
  const gone = async (threadId: string, after: number): Promise<RepriseError> => {
    const oldest = (await reader.loadThread(tenant, threadId))?.thread.pruned_version ?? 0;
    return versionGone(threadId, after, oldest);
  };
  return {
    async loadThread(threadId) {
      const head = await guard(threadId, () => reader.loadThread(tenant, threadId));
      if (head === undefined) return undefined;
      const { thread, generation } = head.thread;
      return { thread, generation, ...(head.open_run === undefined ? {} : { open_run: head.open_run }) };
    },
    async listThreads(query = {}) {
      const cut = cutOf(query);
      return toPage(await reader.listThreads(tenant, query, cut), cut, (thread) => thread);
    },
    listMessages: (threadId, query = {}) =>
      guard(threadId, async () => {
        const selection = selectMessages(query);
        return toMessagePage(await reader.listMessages(tenant, threadId, selection), selection);
      }),
    readMessages: (threadId, from) =>
      guard(threadId, async () => {
        const rows = await reader.readMessages(tenant, threadId, Math.max(from, 0));
        const messages: Message[] = [];
        const superseded: string[] = [];
        for (const row of rows) {
          if (row.is_superseded) superseded.push(row.id);
          else messages.push(openStoredMessage(row));
        }
        return { messages, superseded, next: Math.max(from, (rows.at(-1)?.position ?? -1) + 1) };
      }),
    loadSnapshot: (threadId, version) =>
      guard(threadId, async () => {
        const found = await reader.loadSnapshot(tenant, threadId, version);
        if (found === undefined) return undefined;
        // Written by `saveSnapshot`.
        const state = parseText("snapshot", readText("snapshot", found.state)) as Json;
        return { version: found.version, state };
      }),
    readPatches: (threadId, after, upTo) =>
      guard(threadId, async () => {
        const rows = await reader.readPatches(tenant, threadId, { after: Math.max(after, 0), upTo });
        if (rows[0] !== undefined && isPruned(rows[0].patches)) throw await gone(threadId, after);
        return rows.map(({ version, run_id, patches }) => ({ version, patches: openPatches(patches, run_id) }));
      }),
    readChangesets: (threadId, after, limit) =>
      guard(threadId, async () => {
        const range = { after: Math.max(after, 0), limit: clampLimit(limit) };
        const changesets = await reader.readChangesets(tenant, threadId, range);
        if (changesets[0] !== undefined && isPruned(changesets[0].text)) throw await gone(threadId, after);
        return changesets.map(openChangeset);
      }),
  };
}
