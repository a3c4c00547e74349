import { clampLimit, RepriseError, type StoredChangeset, type Thread } from "@reprise/contracts";
import { type Call, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { answerList } from "../http/answer-list.ts";
import { Query } from "../http/query.ts";
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
    async handle(call) {
      const { threads } = call.runtime;
      const threadId = pathPart(call, "id");
      const wanted = new Query(call.context.req.url).wholeNumber("version");
      const version = wanted ?? (await threads.get(threadId)).version;
      return answer(call, 200, { thread_id: threadId, version, state: await threads.stateAt(threadId, version) });
    },
  },
  {
    method: "GET",
    path: "/v1/threads/:id/history",
    scope: "read",
    operation: schema.history,
    async handle(call) {
      const { threads } = call.runtime;
      const threadId = pathPart(call, "id");
      const query = new Query(call.context.req.url);
      const after = query.wholeNumber("after") ?? 0;
      const { version } = await threads.get(threadId);
      return answerList<StoredChangeset>(call, {
        name: "items",
        head: { thread_id: threadId },
        limit: clampLimit(query.wholeNumber("limit")),
        async read({ last }, limit) {
          const items = await threads.changesets(threadId, { after: last?.version ?? after, limit });
          return { items, has_more: (items.at(-1)?.version ?? version) < version };
        },
        encode: (changeset) => ({
          version: changeset.version,
          changeset_id: changeset.changeset_id,
          run_id: changeset.run_id,
          reasons: changeset.reasons,
          message_ids: changeset.messages.map(({ id }) => id),
          supersedes: changeset.supersedes,
          patches: changeset.patches,
          actions: changeset.actions,
        }),
        tail: ({ has_more }) => ({ has_more }),
      });
    },
  },
  {
    method: "POST",
    path: "/v1/threads/:id/fork",
    scope: "run",
    operation: schema.fork,
    usesReserved: true,
    async handle(call) {
      const body = await call.body.optionalJson();
      const fields = readFields(body, FORK_FIELDS);
      const version = wholeNumberOf("version", fields.version);
      const source = pathPart(call, "id");
      const threadId = textOf("threadId", fields.thread_id) ?? call.reserved?.thread_id;
      const made =
        call.reserved?.isRepeat && threadId !== undefined ? await findFork(call, source, threadId) : undefined;
      const fork =
        made ??
        (await call.runtime.threads.fork(source, {
          ...(version !== undefined && { at: version }),
          ...(threadId !== undefined && { threadId }),
        }));
      return answer(call, 201, fork);
    },
  },
];

/** The fork that an earlier try of the request made. */
async function findFork({ runtime }: Call, source: string, threadId: string): Promise<Thread | undefined> {
  try {
    const thread = await runtime.threads.get(threadId);
    return thread.parent_thread_id === source ? thread : undefined;
  } catch (error) {
    if (RepriseError.is(error, "THREAD_NOT_FOUND")) return undefined;
    throw error;
  }
}
