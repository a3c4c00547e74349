import { clampLimit, type Message, type RepriseError, type ThreadReader, versionGone } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { parseText, readText } from "../codec/stored-text.ts";
import type { ThreadGuard } from "./damage.ts";
import { isSuperseded, pageMessages } from "./message-page.ts";
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
      return toPage(await reader.listThreads(tenant, query, cut), cut);
    },
    listMessages: (threadId, query = {}) =>
      guard(threadId, () => pageMessages((selection) => reader.readMessages(tenant, threadId, selection), query)),
    readMessages: (threadId, after) =>
      guard(threadId, async () => {
        const from = Math.max(after, 0);
        const selection = { first: from, last: Number.MAX_SAFE_INTEGER, order: "asc", only_shown: false } as const;
        const { rows, superseded: ranges } = await reader.readMessages(tenant, threadId, selection);
        const messages: Message[] = [];
        const superseded: string[] = [];
        let next = from;
        for (const row of rows) {
          for (const [index, message] of row.open().entries()) {
            const position = row.first_position + index;
            if (position < from) continue;
            if (isSuperseded(ranges, position)) superseded.push(message.id);
            else messages.push(message);
          }
          next = row.first_position + row.message_count;
        }
        return { messages, superseded, next };
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
        if (rows[0]?.is_pruned === true) throw await gone(threadId, after);
        return rows.map((row) => ({ version: row.version, patches: row.open() }));
      }),
    readChangesets: (threadId, after, limit) =>
      guard(threadId, async () => {
        const range = { after: Math.max(after, 0), limit: clampLimit(limit) };
        const rows = await reader.readCommits(tenant, threadId, range);
        if (rows[0]?.is_pruned === true) throw await gone(threadId, after);
        return rows.map((row) => row.open());
      }),
  };
}
