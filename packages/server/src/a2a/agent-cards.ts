import { notFound } from "@reprise/contracts";
import { agentUrl, type CardAgent, type CardOptions, encodeAgentCard, encodeGatewayCard } from "@reprise/protocols/a2a";
import type { HttpExchange } from "../host/route.ts";
import { serverUrl } from "../host/server-url.ts";
import { answer } from "../http/answer.ts";
import { digest } from "../security/digest.ts";

const CACHE = "public, max-age=30, must-revalidate";

function cardOptions(exchange: HttpExchange): CardOptions {
  const { authenticate, push } = exchange.host;
  return { baseUrl: serverUrl(exchange), isAuthenticated: authenticate !== undefined, hasPush: push !== undefined };
}

/**
 * The card of the whole server, for clients without a credential. On a server that asks for one it names the first agent alone, and
 * points to the list of all, which needs a credential.
 */
export function answerGatewayCard(exchange: HttpExchange): Promise<Response> {
  const { authenticate, runtime } = exchange.host;
  const all = runtime.agents();
  const agents = authenticate === undefined ? all : all.slice(0, 1);
  const listing = { agents, hasMore: agents.length < all.length };
  return answerCached(exchange, agents, encodeGatewayCard(listing, cardOptions(exchange)));
}

export function answerAgentCard(exchange: HttpExchange, agentId: string): Promise<Response> {
  return answerCached(exchange, [findAgent(exchange, agentId)], loadAgentCard(exchange, agentId));
}

export function loadAgentCard(exchange: HttpExchange, agentId: string): object {
  return encodeAgentCard(findAgent(exchange, agentId), cardOptions(exchange));
}

/** The agents of the server, and where each has its card. */
export function listAgents(exchange: HttpExchange): object {
  const options = cardOptions(exchange);
  const agents = exchange.runtime.agents().map(({ id, name, description }) => {
    const url = agentUrl(options, id);
    return { id, name, description, url, agentCardUrl: `${url}/agent-card` };
  });
  return { agents, total: agents.length };
}

function findAgent({ runtime }: HttpExchange, agentId: string): CardAgent {
  const agent = runtime.agents().find(({ id }) => id === agentId);
  if (agent === undefined) throw notFound("AGENT_NOT_FOUND", "agent", agentId);
  return agent;
}

async function answerCached(exchange: HttpExchange, agents: readonly CardAgent[], card: object): Promise<Response> {
  const named = agents.map(({ id, definition = "" }) => `${id} ${definition}`);
  const etag = `W/"a2a-agents-${(await digest(serverUrl(exchange), ...named)).slice(0, 16)}"`;
  const headers = { "cache-control": CACHE, etag };
  const known = (exchange.context.req.header("if-none-match") ?? "").split(",").map((each) => each.trim());
  // Compared weakly, as the header wants it: the same tag without its mark counts too.
  const isKnown = known.some((each) => each === "*" || each.replace(/^W\//, "") === etag.slice(2));
  if (isKnown) return new Response(null, { status: 304, headers: { ...exchange.headers, ...headers } });
  return answer(exchange, 200, card, headers);
}
