import { type EntryStatus, MAX_LIMIT, type MailboxEntry } from "@reprise/contracts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { answerPage } from "../http/answer-list.ts";
import { Query } from "../http/query.ts";
import { type EntryOrigin, encodeEntry, listEntries } from "../wire/list-entries.ts";
import { MissingAgents } from "../wire/missing-agents.ts";
import * as schema from "./mailbox-routes.schema.ts";

const STATUSES: readonly EntryStatus[] = ["queued", "claimed", "accepted", "superseded", "cancelled", "dead_letter"];

/** What waits on threads, and what could not be done. */
export const mailboxRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/threads/:id/interrupt",
    scope: "run",
    operation: schema.interrupt,
    before: (exchange) => exchange.runtime.mailbox.generation(pathPart(exchange, "id")),
    async handle(exchange) {
      const threadId = pathPart(exchange, "id");
      const before = exchange.reserved?.before;
      const asked = typeof before === "number" ? { generation: before } : {};
      const { mailbox } = exchange.runtime;
      const { generation, run_id, superseded } = await mailbox.interrupt(threadId, undefined, asked);
      return answer(exchange, 202, {
        status: "interrupt_requested",
        thread_id: threadId,
        generation,
        cancelled_run_id: run_id ?? null,
        superseded_pending_count: superseded.length,
        superseded_pending_entry_ids: superseded.map(({ entry_id }) => entry_id),
      });
    },
  },
  {
    method: "GET",
    path: "/v1/threads/:id/mailbox",
    scope: "read",
    operation: schema.list,
    async handle(exchange) {
      const { runtime, context } = exchange;
      const threadId = pathPart(exchange, "id");
      const query = new Query(context.req.url);
      const status = query.oneOf("status", STATUSES);
      const origin = readOrigin(query);
      await runtime.threads.get(threadId);
      const entries = { thread_id: threadId, ...(status !== undefined && { status }) };
      const read = (offset: number, limit: number) =>
        listEntries(runtime.mailbox, { ...entries, offset, limit }, origin);
      const missing = new MissingAgents(await runtime.workers());
      const encode = (entry: MailboxEntry): object => {
        missing.see(entry);
        return encodeEntry(entry);
      };
      return answerPage(exchange, query.page(), read, encode, () => ({ agents_missing: missing.list }));
    },
  },
  {
    method: "GET",
    path: "/v1/mailbox",
    scope: "read",
    operation: schema.listAll,
    async handle(exchange) {
      const query = new Query(exchange.context.req.url);
      const status = query.oneOf("status", STATUSES);
      const filter = { ...query.texts("thread_id"), ...(status !== undefined && { status }) };
      const counts = await countOpen(exchange);
      const missing = new MissingAgents(await exchange.runtime.workers());
      const read = (offset: number, limit: number) => exchange.runtime.mailbox.list({ ...filter, offset, limit });
      const encode = (entry: MailboxEntry): object => {
        missing.see(entry);
        return encodeEntry(entry);
      };
      return answerPage(exchange, query.page(), read, encode, () => ({ counts, agents_missing: missing.list }));
    },
  },
  {
    method: "GET",
    path: "/v1/dead-letters",
    scope: "read",
    operation: schema.deadLetters,
    async handle(exchange) {
      const query = new Query(exchange.context.req.url);
      const letters = { ...query.texts("thread_id"), status: "dead_letter" } as const;
      const read = (offset: number, limit: number) => exchange.runtime.mailbox.list({ ...letters, offset, limit });
      return answerPage(exchange, query.page(), read, encodeEntry);
    },
  },
  {
    method: "POST",
    path: "/v1/threads/:id/mailbox/:entry_id/requeue",
    scope: "admin",
    operation: schema.requeue,
    before: async (exchange) => (await findEntry(exchange))?.updated_at ?? null,
    async handle(exchange) {
      const { reserved, runtime } = exchange;
      const entry = reserved?.isRepeat ? await findEntry(exchange) : undefined;
      // Another time of change than before the first try: it was requeued then.
      if (entry !== undefined && entry.updated_at !== reserved?.before)
        return answer(exchange, 202, encodeEntry(entry));
      const requeued = await runtime.mailbox.requeue(pathPart(exchange, "id"), pathPart(exchange, "entry_id"));
      return answer(exchange, 202, encodeEntry(requeued));
    },
  },
];

async function countOpen({ runtime }: HttpExchange): Promise<object> {
  const count = async (status: EntryStatus): Promise<number> =>
    (await runtime.mailbox.list({ status, limit: 1 })).total;
  const [queued, claimed, dead_letter] = await Promise.all([count("queued"), count("claimed"), count("dead_letter")]);
  return { queued, claimed, dead_letter };
}

/** The entry that the path names. */
async function findEntry(exchange: HttpExchange): Promise<MailboxEntry | undefined> {
  const [threadId, entryId] = [pathPart(exchange, "id"), pathPart(exchange, "entry_id")];
  for (let offset = 0; ; offset += MAX_LIMIT) {
    const query = { thread_id: threadId, offset, limit: MAX_LIMIT };
    const { items, has_more } = await exchange.runtime.mailbox.list(query);
    const found = items.find(({ entry_id }) => entry_id === entryId);
    if (found !== undefined || !has_more) return found;
  }
}

/**
 * Entries of clients unless asked otherwise. What clients sent is visible to all, what the runtime sent is internal: the two
 * parameters ask for the same.
 */
function readOrigin(query: Query): EntryOrigin | undefined {
  const origin = query.oneOf("origin", ["external", "internal", "none"]);
  const visibility = query.oneOf("visibility", ["all", "internal", "none"]);
  if (origin === "none" || (origin === undefined && visibility === "none")) return undefined;
  return origin ?? (visibility === "internal" ? "internal" : "external");
}
