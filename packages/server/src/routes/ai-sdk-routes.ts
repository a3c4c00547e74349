import { clampLimit, notFound } from "@reprise/contracts";
import { decodeAiSdkRequest } from "@reprise/protocols/ai-sdk";
import { answerDecisions } from "../ai-sdk/answer-decisions.ts";
import { findRunUnderWay } from "../ai-sdk/find-run-under-way.ts";
import { loadHistory } from "../ai-sdk/load-history.ts";
import { answerAnew, startAnswer } from "../ai-sdk/start-answer.ts";
import { streamMessage } from "../ai-sdk/stream-message.ts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { Query } from "../http/query.ts";
import * as schema from "./ai-sdk-routes.schema.ts";

/** What `useChat` of the AI SDK speaks, versions 6 and 7. A chat is a thread, and a message of the assistant is a run. */
export const aiSdkRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/ai-sdk/agents/:agent_id/runs",
    scope: "run",
    operation: schema.run,
    knowsRepeats: true,
    opensStream: true,
    async handle(exchange) {
      const agentId = pathPart(exchange, "agent_id");
      // The codec reads text by itself; what is no object, or too much of one, is refused before it.
      await exchange.body.json();
      const asked = decodeAiSdkRequest(await exchange.body.text(), agentId);
      if (asked.kind === "decisions") return answerDecisions(exchange, agentId, asked);
      const run =
        asked.kind === "submit" ? await startAnswer(exchange, asked) : await answerAnew(exchange, agentId, asked);
      return streamMessage(exchange, run);
    },
  },
  // The second path is the one the stock transport makes of the first route's.
  ...(["chats", "runs"] as const).map(
    (word): Route => ({
      method: "GET",
      path: `/v1/ai-sdk/agents/:agent_id/${word}/:chat_id/stream`,
      scope: "read",
      operation: schema.resume,
      opensStream: true,
      handle: resume,
    }),
  ),
  {
    method: "GET",
    path: "/v1/ai-sdk/threads/:id/messages",
    scope: "read",
    operation: schema.history,
    async handle(exchange) {
      const query = new Query(exchange.context.req.url);
      const [limit, before] = [query.wholeNumber("limit"), query.text("before")];
      const history = await loadHistory(exchange, pathPart(exchange, "id"), {
        ...(limit !== undefined && { limit: clampLimit(limit) }),
        ...(before !== undefined && { before }),
      });
      return answer(exchange, 200, history);
    },
  },
];

/** The run under way from its start: a client that comes back begins its message anew. */
async function resume(exchange: HttpExchange): Promise<Response> {
  const agentId = pathPart(exchange, "agent_id");
  if (!exchange.runtime.agents().some(({ id }) => id === agentId)) throw notFound("AGENT_NOT_FOUND", "agent", agentId);
  const run = await findRunUnderWay(exchange.runtime, agentId, pathPart(exchange, "chat_id"));
  return run === undefined
    ? new Response(null, { status: 204, headers: exchange.headers })
    : streamMessage(exchange, run);
}
