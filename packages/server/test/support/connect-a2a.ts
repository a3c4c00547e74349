import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";

const BINDINGS = { "HTTP+JSON": new RestTransportFactory(), JSONRPC: new JsonRpcTransportFactory() } as const;

/** The official client, by one of the bindings that the agent's card names. */
export function connectTo(url: string, binding: keyof typeof BINDINGS, agentId: string): Promise<Client> {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports: [BINDINGS[binding]] }),
  );
  return factory.createFromUrl(url, `/v1/a2a/agents/${agentId}/agent-card`);
}
