import type { Egress, RemoteEndpoint } from "@reprise/contracts";
import { type ListedAgent, RemoteConnection } from "./remote-agent.ts";

export interface A2aAgentsOptions extends Pick<RemoteEndpoint, "auth"> {
  /** The address of a gateway, as `https://agents.example.com/v1/a2a`, of a server with a card, or of a card (`….json`). */
  readonly url: string;
  /** Sends the requests: `createEgress()`. */
  readonly egress: Egress;
  /** Stands before the ids of the agents here, as in `far_`. Nothing unless given. */
  readonly prefix?: string;
  /** Passed on to the endpoint of every agent. */
  readonly pollIntervalMs?: number;
}

/** Agents of another service, for `withRemoteAgents` of the registry builder. */
export interface A2aAgents {
  readonly id: string;
  /** Asks the service which agents it has. Their specs name their endpoints, so that `a2aBackend` runs them. */
  discover(signal?: AbortSignal): Promise<readonly object[]>;
}

/**
 * Discovers the agents of a service that speaks A2A: `createRegistryBuilder().withBackend(a2aBackend()).withRemoteAgents(a2aAgents({ url, egress }))`,
 * then `buildAndDiscover()`. The credential of `auth` goes to this origin and to no other.
 */
export function a2aAgents({ url, egress, auth, prefix = "", pollIntervalMs }: A2aAgentsOptions): A2aAgents {
  const endpoint: RemoteEndpoint = {
    url,
    ...(auth !== undefined && { auth }),
    ...(pollIntervalMs !== undefined && { poll_interval_ms: pollIntervalMs }),
  };
  const specOf = ({ id, name, description, url: gateway = url }: ListedAgent): object => ({
    id: prefix + (id ?? idOf(name)),
    name,
    description,
    endpoint: { ...endpoint, url: gateway, ...(id !== undefined && { remote_agent_id: id }) },
  });
  return {
    id: url,
    discover: async (signal) => (await new RemoteConnection(endpoint, egress, signal).list()).map(specOf),
  };
}

/** An id of the name on a card, which people write: `Travel Desk (EU)` is `travel_desk_eu`. */
function idOf(name: string): string {
  const id = name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  return id.replace(/^_|_$/g, "") || "agent";
}
