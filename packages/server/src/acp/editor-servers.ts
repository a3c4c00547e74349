import { type AcpMcpServer, RPC_ERRORS, RpcError } from "@reprise/protocols/acp";

/** An MCP server that an editor names for a session: a program to start, or an address. */
export type EditorServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly name: string; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The servers of one session. */
export interface SessionServers {
  /** The id of the agent with these servers beside its own tools. */
  agentFor(agentId: string): string;
  /** Connects now. Answers with a line for each server that cannot be used. */
  connect(agentId: string): Promise<readonly string[]>;
  /** Forgets the servers and ends their processes. */
  close(): Promise<void>;
}

/** How servers of editors are used. */
export interface EditorServers {
  /** `openEditorServers(runtime)` of `reprise/plugins/mcp`. */
  open(sessionId: string, servers: readonly EditorServer[]): SessionServers;
  /** The servers that editors may bring: all, or those with an address. All unless given. */
  readonly allowed?: "all" | "http";
}

/** Reads the servers of a request, and refuses those that the policy forbids. */
export function readEditorServers(
  servers: readonly AcpMcpServer[],
  allowed: EditorServers["allowed"],
): readonly EditorServer[] {
  return servers.map(({ name, command, args = [], env = [], url, headers = [] }) => {
    if (url !== undefined) return { name, url, headers: valuesOf(headers) };
    if (allowed === "http") {
      const message = `The MCP server ${JSON.stringify(name)} is a command, and editors may bring only servers with an address here (server.acp.mcp_servers).`;
      throw new RpcError(RPC_ERRORS.invalidParams, message, { code: "MCP_SERVER_REFUSED", server: name });
    }
    return { name, command: command ?? "", args, env: valuesOf(env) };
  });
}

function valuesOf(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
