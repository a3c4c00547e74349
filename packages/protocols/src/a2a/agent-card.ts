import type { Json } from "@reprise/state";
import { A2A_VERSION } from "./wire.ts";

/** An agent as a card shows it. */
export interface CardAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Changes when anything that the agent works with changes. */
  readonly definition?: string;
}

export interface CardOptions {
  /** The address of the server, without a slash at its end. */
  readonly baseUrl: string;
  /** Whether requests need a credential. */
  readonly isAuthenticated: boolean;
  /** Whether the server sends push notifications. */
  readonly hasPush: boolean;
}

/** The media types that agents read and write. */
const INPUT_MODES: readonly string[] = ["text/plain", "application/json", "image/*", "application/octet-stream"];
const OUTPUT_MODES: readonly string[] = ["text/plain", "application/json"];

const SECURITY = {
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer", description: "An API key or a JWT." } } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
} as const;

/** The address of an agent: both bindings are below it. */
export function agentUrl({ baseUrl }: Pick<CardOptions, "baseUrl">, agentId: string): string {
  return `${baseUrl}/v1/a2a/agents/${encodeURIComponent(agentId)}`;
}

/** The card of one agent. */
export function encodeAgentCard(agent: CardAgent, options: CardOptions): { readonly [key: string]: Json } {
  const url = agentUrl(options, agent.id);
  return {
    ...commonCard(options, [url]),
    version: agent.definition?.slice(0, 12) ?? "1",
    name: agent.name,
    description: agent.description,
    url: `${url}/message:send`,
    skills: [skillOf(agent)],
  };
}

/** The agents that the card of a server names. */
export interface CardListing {
  readonly agents: readonly CardAgent[];
  /** The server has more agents, which are listed only for clients with a credential. */
  readonly hasMore: boolean;
}

/** The card of a server with any number of agents. The interfaces are those of the first one; the address is that of the list. */
export function encodeGatewayCard(listing: CardListing, options: CardOptions): { readonly [key: string]: Json } {
  const { agents, hasMore } = listing;
  const [first, ...others] = agents;
  if (first !== undefined && others.length === 0 && !hasMore) {
    const card = encodeAgentCard(first, options);
    return { ...card, capabilities: { ...(card.capabilities as object), ...discoveryOf(listing) } };
  }
  const card = commonCard(options, first === undefined ? [] : [agentUrl(options, first.id)]);
  return {
    ...card,
    version: "1",
    name: "Reprise",
    description: "A gateway to the agents of a Reprise server.",
    url: `${options.baseUrl}/v1/a2a/agents`,
    capabilities: { ...card.capabilities, ...discoveryOf(listing) },
    skills: agents.map(skillOf),
  };
}

function discoveryOf({ agents, hasMore }: CardListing): { readonly [key: string]: Json } {
  const named = agents.map(({ id }) => id);
  return { agentDiscovery: true, ...(!hasMore && { agentCount: agents.length }), agents: named };
}

function commonCard(options: CardOptions, urls: readonly string[]) {
  return {
    supportedInterfaces: urls.flatMap((url) => [
      { url, protocolBinding: "HTTP+JSON", protocolVersion: A2A_VERSION },
      { url: `${url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: A2A_VERSION },
    ]),
    capabilities: {
      streaming: true,
      pushNotifications: options.hasPush,
      extendedAgentCard: true,
      taskManagement: true,
    },
    defaultInputModes: INPUT_MODES,
    defaultOutputModes: OUTPUT_MODES,
    ...(options.isAuthenticated && SECURITY),
  };
}

function skillOf({ id, name, description }: CardAgent): Json {
  return { id, name, description, tags: ["agent"] };
}
