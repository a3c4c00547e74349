import type { MessagePage, MessageQuery, Thread } from "@reprise/contracts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { answerList, answerPage } from "../http/answer-list.ts";
import { Query } from "../http/query.ts";
import { summariseThread } from "../wire/summarise-thread.ts";
import * as schema from "./thread-routes.schema.ts";

/** Conversations: lists, messages, what is known about them. */
export const threadRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/threads",
    scope: "read",
    operation: schema.list,
    handle: (exchange) => listThreads(exchange),
  },
  {
    method: "GET",
    path: "/v1/threads/summaries",
    scope: "read",
    operation: schema.summaries,
    handle: (exchange) => listThreads(exchange, (thread) => summariseThread(exchange.runtime, thread)),
  },
  {
    method: "GET",
    path: "/v1/threads/:id",
    scope: "read",
    operation: schema.get,
    handle: async (exchange) => answer(exchange, 200, await showThread(exchange, pathPart(exchange, "id"))),
  },
  {
    method: "GET",
    path: "/v1/threads/:id/messages",
    scope: "read",
    operation: schema.messages,
    async handle(exchange) {
      const threadId = pathPart(exchange, "id");
      const { limit, ...query } = readMessageQuery(new Query(exchange.context.req.url));
      return answerList<MessagePage["messages"][number]>(exchange, {
        name: "messages",
        limit,
        async read({ last }, atMost) {
          const on =
            last === undefined ? {} : query.order === "desc" ? { before: last.cursor } : { after: last.cursor };
          const page = await exchange.runtime.threads.messages(threadId, { ...query, ...on, limit: atMost });
          return { items: page.messages, has_more: page.has_more };
        },
        tail: ({ first, last, has_more }) => ({
          has_more,
          ...(last !== undefined && { next_cursor: last.cursor }),
          ...(first !== undefined && { prev_cursor: first.cursor }),
        }),
      });
    },
  },
  {
    method: "PATCH",
    path: "/v1/threads/:id/metadata",
    scope: "run",
    operation: schema.updateMetadata,
    async handle(exchange) {
      const metadata = await exchange.body.json();
      return answer(exchange, 200, await exchange.runtime.threads.update(pathPart(exchange, "id"), metadata));
    },
  },
  {
    method: "DELETE",
    path: "/v1/threads/:id",
    scope: "admin",
    operation: schema.remove,
    async handle(exchange) {
      await exchange.runtime.threads.delete(pathPart(exchange, "id"));
      return new Response(null, { status: 204, headers: exchange.headers });
    },
  },
];

function listThreads(exchange: HttpExchange, encode?: (thread: Thread) => Promise<object>): Promise<Response> {
  const query = new Query(exchange.context.req.url);
  const filter = query.texts("resource_id", "parent_thread_id");
  const read = (offset: number, limit: number) => exchange.runtime.threads.list({ ...filter, offset, limit });
  return answerPage(exchange, query.page(), read, encode);
}

/** As many messages as a page holds, the newest: who wants more asks for them. */
const SHOWN_MESSAGES = 50;

/** A thread with what was said last and its state, also under the names that other servers of this API give to them. */
async function showThread({ runtime: { threads } }: HttpExchange, threadId: string): Promise<object> {
  const thread = await threads.get(threadId);
  const state = await threads.state(threadId, { version: thread.version });
  const { messages, has_more } = await threads.messages(threadId, { order: "desc", limit: SHOWN_MESSAGES });
  return { ...thread, id: thread.thread_id, state, messages: messages.toReversed(), has_more };
}

/** `none` is no filter, as in the mailbox. */
const VISIBILITIES = { all: "all", internal: "internal", none: "any", any: "any" } as const;

function readMessageQuery(query: Query): MessageQuery & { readonly limit: number } {
  const order = query.oneOf("order", ["asc", "desc"]);
  const visibility = query.oneOf("visibility", ["all", "internal", "none", "any"]);
  return {
    limit: query.page().limit,
    ...query.wholeNumbers("after", "before"),
    ...query.texts("run_id"),
    ...(order !== undefined && { order }),
    ...(visibility !== undefined && { visibility: VISIBILITIES[visibility] }),
    ...(query.flag("include_superseded") && { include_superseded: true }),
  };
}
