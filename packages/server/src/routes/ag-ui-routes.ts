import { clampLimit, notFound } from "@reprise/contracts";
import { agUiVersionOf, decodeAgUiRequest, encodeAgUiCapabilities, encodeAgUiHistory } from "@reprise/protocols/ag-ui";
import type { AgentInfo } from "@reprise/runtime";
import { readMessages } from "../ag-ui/load-messages.ts";
import { runAgent } from "../ag-ui/run-agent.ts";
import { showThread } from "../ag-ui/show-thread.ts";
import { browserUrl } from "../blobs/blob-url.ts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { Query } from "../http/query.ts";
import * as schema from "./ag-ui-routes.schema.ts";

/** What AG-UI clients speak, version 1 and before. Their threads are ours; their run ids are names for our runs. */
export const agUiRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/ag-ui/agents/:agent_id/runs",
    scope: "run",
    operation: schema.run,
    knowsRepeats: true,
    opensStream: true,
    async handle(exchange) {
      // The codec reads text by itself; what is no object, or too much of one, is refused before it.
      await exchange.body.json();
      const asked = decodeAgUiRequest(await exchange.body.text(), pathPart(exchange, "agent_id"));
      return runAgent(exchange, findAgent(exchange).id, asked);
    },
  },
  {
    method: "GET",
    path: "/v1/ag-ui/agents/:agent_id/capabilities",
    scope: "read",
    operation: schema.capabilities,
    handle: (exchange) => answer(exchange, 200, encodeAgUiCapabilities(findAgent(exchange))),
  },
  {
    method: "GET",
    path: "/v1/ag-ui/agents/:agent_id/threads/:id/stream",
    scope: "read",
    operation: schema.connect,
    opensStream: true,
    handle(exchange) {
      const query = new Query(exchange.context.req.url);
      const version = agUiVersionOf(query.text("protocolVersion"));
      return showThread(exchange, findAgent(exchange).id, pathPart(exchange, "id"), version, query.text("runId"));
    },
  },
  {
    method: "GET",
    path: "/v1/ag-ui/threads/:id/messages",
    scope: "read",
    operation: schema.history,
    async handle(exchange) {
      const query = new Query(exchange.context.req.url);
      const [limit, before] = [query.wholeNumber("limit"), query.text("before")];
      const { messages, has_more } = await readMessages(exchange, pathPart(exchange, "id"), {
        ...(limit !== undefined && { limit: clampLimit(limit) }),
        ...(before !== undefined && { before }),
      });
      const shown = encodeAgUiHistory(messages, (url) => browserUrl(exchange, url));
      return answer(exchange, 200, { messages: shown, has_more });
    },
  },
];

function findAgent(exchange: HttpExchange): AgentInfo {
  const id = pathPart(exchange, "agent_id");
  const agent = exchange.runtime.agents().find((each) => each.id === id);
  if (agent === undefined) throw notFound("AGENT_NOT_FOUND", "agent", id);
  return agent;
}
