import { createEgress } from "@reprise/node";
import type { A2aServing, McpServing, ServerOptions } from "@reprise/server";
import type { A2aConfig, McpConfig, ServerConfig } from "@reprise/server/config";
import type { ListenOptions } from "@reprise/server/node";

/** What the `server` section of a configuration says about requests. What it does not say has the server's defaults. */
export function serverOptions(configured: ServerConfig): Omit<ServerOptions, "runtime"> {
  const { limits = {} } = configured;
  return given({
    a2a: a2aServing(configured.a2a),
    mcp: mcpServing(configured.mcp),
    publicUrl: configured.public_url,
    trustedProxies: configured.trusted_proxies,
    push: { egress: createEgress(), privateOrigins: configured.push_origins ?? [] },
    maxBodyBytes: limits.max_body_bytes,
    maxBlobBytes: limits.max_blob_bytes,
    limits: given({
      requestsPerAddress: limits.requests_per_address,
      requestsPerPrincipal: limits.requests_per_principal,
      windowMs: limits.window_ms,
    }),
    streams: given({
      maxStreams: limits.max_streams,
      maxStreamsPerPrincipal: limits.max_streams_per_principal,
    }),
  });
}

/** What it says about A2A clients. */
function a2aServing({ message_agents = [] }: A2aConfig = {}): A2aServing {
  return { answersWithMessage: ({ agentId }) => message_agents.includes(agentId) };
}

/** What it says about MCP clients. */
export function mcpServing({ agents, tools, task_after_ms: taskAfterMs }: McpConfig = {}): McpServing {
  return given({ agents, tools, taskAfterMs });
}

/** What it says about connections. */
export function timeLimits({
  limits = {},
}: ServerConfig): Pick<ListenOptions, "headersTimeoutMs" | "requestTimeoutMs"> {
  return given({ headersTimeoutMs: limits.headers_timeout_ms, requestTimeoutMs: limits.request_timeout_ms });
}

/** The fields of an object that are not undefined, all of which may then be missing. */
type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function given<Fields extends object>(fields: Fields): Given<Fields> {
  // Only fields that are undefined are left out, which is what the type says.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
