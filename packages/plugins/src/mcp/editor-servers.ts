import { type Plugin, RepriseError } from "@reprise/contracts";
import type { AgentVariant, Runtime } from "@reprise/runtime";
import { type McpPlugin, type McpServer, mcp } from "./mcp.ts";

/** An MCP server as an editor names it. */
export type EditorServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly name: string; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The servers of one session of an editor. */
export interface SessionServers {
  /** The id of the agent with these servers beside its own tools. */
  agentFor(agentId: string): string;
  /** Connects now. Answers with a line for each server that cannot be used. */
  connect(agentId: string): Promise<readonly string[]>;
  /** Forgets the servers and ends their processes. */
  close(): Promise<void>;
}

/** An agent with the servers of a session. */
interface Variant extends AgentVariant {
  readonly id: string;
  readonly plugin: McpPlugin;
}

/** Opens the servers that an editor names for a session, for `connectAcp`. Each session has connections of its own. */
export function openEditorServers(
  runtime: Pick<Runtime, "extendAgent">,
): (sessionId: string, servers: readonly EditorServer[]) => SessionServers {
  return (sessionId, servers) => {
    const named = nameServers(servers);
    const opened = new Map<string, Variant>();
    const open = (agentId: string): Variant | undefined => {
      const known = opened.get(agentId);
      if (known !== undefined) return known;
      // The same in every process, so that a run continues where its session is loaded again.
      const id = `${agentId}-acp-${sessionId}`;
      let plugin = mcp();
      try {
        const extended = runtime.extendAgent(agentId, {
          id,
          plugin: (installed) => {
            const own = installed("mcp");
            plugin = isMcp(own) ? own.withServers(named) : mcp({ servers: named });
            return plugin;
          },
        });
        const variant = { ...extended, id, plugin };
        opened.set(agentId, variant);
        return variant;
      } catch (error) {
        // An agent that runs elsewhere has tools of its own there, and none of these.
        if (RepriseError.is(error, "REMOTE_AGENT_NOT_DIRECTLY_RUNNABLE")) return undefined;
        throw error;
      }
    };
    return {
      agentFor: (agentId) => open(agentId)?.id ?? agentId,
      async connect(agentId) {
        const variant = open(agentId);
        if (variant === undefined)
          return [`Agent ${agentId} does not run here, so MCP servers of the editor are not used.`];
        await variant.prepare();
        const problems = variant.plugin
          .status()
          .filter(({ server, state }) => Object.hasOwn(named, server) && state !== "ready");
        return problems.map(({ server, lastError = "it does not answer" }) => `The MCP server ${server}: ${lastError}`);
      },
      async close() {
        const all = [...opened.values()];
        opened.clear();
        for (const { forget } of all) forget();
        await Promise.all(all.map(({ plugin }) => plugin.close?.()));
      },
    };
  };
}

function isMcp(plugin: Plugin | undefined): plugin is McpPlugin {
  return plugin !== undefined && "withServers" in plugin;
}

/** Editors name servers as they like; the names of tools begin with those of their servers, so they are made of fewer characters. */
function nameServers(servers: readonly EditorServer[]): Readonly<Record<string, McpServer>> {
  const named: Record<string, McpServer> = {};
  for (const { name, ...server } of servers) {
    const short =
      name
        .replace(/[^A-Za-z0-9]+/g, "-")
        .replace(/^-+|-+$/g, "")
        .slice(0, 28) || "server";
    let free = short;
    for (let count = 2; Object.hasOwn(named, free); count += 1) free = `${short}-${count}`;
    named[free] = server;
  }
  return named;
}
