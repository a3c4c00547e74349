import { clampLimit, RepriseError, type StoredChangeset, type Thread } from "@reprise/contracts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { answerList } from "../http/answer-list.ts";
import { Query } from "../http/query.ts";
import { encodeVersion } from "../wire/encode-version.ts";
import { readFields, textOf, wholeNumberOf } from "../wire/read-fields.ts";
import * as schema from "./history-routes.schema.ts";

const FORK_FIELDS = { version: ["version", "at"], thread_id: ["threadId", "thread_id"] } as const;

/** The past of a thread: what it was at a version, what changed, and a new thread from there. */
export const historyRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/threads/:id/state",
    scope: "read",
    operation: schema.state,
    async handle(exchange) {
      const { threads } = exchange.runtime;
      const threadId = pathPart(exchange, "id");
      const wanted = new Query(exchange.context.req.url).wholeNumber("version");
      const version = wanted ?? (await threads.get(threadId)).version;
      return answer(exchange, 200, { thread_id: threadId, version, state: await threads.state(threadId, { version }) });
    },
  },
  {
    method: "GET",
    path: "/v1/threads/:id/history",
    scope: "read",
    operation: schema.history,
    async handle(exchange) {
      const { threads } = exchange.runtime;
      const threadId = pathPart(exchange, "id");
      const query = new Query(exchange.context.req.url);
      const after = query.wholeNumber("after") ?? 0;
      const { version } = await threads.get(threadId);
      return answerList<StoredChangeset>(exchange, {
        name: "items",
        head: { thread_id: threadId },
        limit: clampLimit(query.wholeNumber("limit")),
        async read({ last }, limit) {
          const items = await threads.changesets(threadId, { after: last?.version ?? after, limit });
          return { items, has_more: (items.at(-1)?.version ?? version) < version };
        },
        encode: encodeVersion,
        tail: ({ has_more }) => ({ has_more }),
      });
    },
  },
  {
    method: "POST",
    path: "/v1/threads/:id/fork",
    scope: "run",
    operation: schema.fork,
    async handle(exchange) {
      const body = await exchange.body.optionalJson();
      const fields = readFields(body, FORK_FIELDS);
      const version = wholeNumberOf("version", fields.version);
      const source = pathPart(exchange, "id");
      const threadId = textOf("threadId", fields.thread_id) ?? exchange.reserved?.thread_id;
      const made =
        exchange.reserved?.isRepeat && threadId !== undefined ? await findFork(exchange, source, threadId) : undefined;
      const fork =
        made ??
        (await exchange.runtime.threads.fork(source, {
          ...(version !== undefined && { at: version }),
          ...(threadId !== undefined && { threadId }),
        }));
      return answer(exchange, 201, fork);
    },
  },
];

/** The fork that an earlier try of the request made. */
async function findFork({ runtime }: HttpExchange, source: string, threadId: string): Promise<Thread | undefined> {
  try {
    const thread = await runtime.threads.get(threadId);
    return thread.parent_thread_id === source ? thread : undefined;
  } catch (error) {
    if (RepriseError.is(error, "THREAD_NOT_FOUND")) return undefined;
    throw error;
  }
}
