import { describeThrown, type PluginPart } from "@reprise/contracts";
import { NEVER, withTimeout } from "../effects/with-timeout.ts";
import type { Services } from "../loop/services.ts";
import { viewFor } from "../resolve/tool-sources.ts";

/** A thing that one of an agent's plugins brings to it, and how that is doing. */
export interface AgentPart extends PluginPart {
  /** The plugin's id. */
  readonly plugin: string;
}

/** Asks the plugins of an agent what they bring. A plugin that fails to say is told as a part that failed. */
export async function listAgentParts(
  { agents, env, limits }: Pick<Services, "agents" | "env" | "limits">,
  tenant: string,
  agentId: string,
): Promise<readonly AgentPart[]> {
  const plan = agents.plan(agentId);
  if (plan.kind !== "local") return [];
  const { agent } = plan;
  const lists = agent.installed.plugins.map(async (plugin): Promise<readonly AgentPart[]> => {
    const { parts } = plugin;
    if (parts === undefined) return [];
    try {
      const view = viewFor(agent, plugin, tenant);
      const told = await withTimeout(env.clock, NEVER, limits.hookTimeoutMs, async () => parts(view));
      return told.map((part) => ({ plugin: plugin.id, ...part }));
    } catch (error) {
      const message = `The plugin could not say how it is doing: ${describeThrown(error)}`;
      return [{ plugin: plugin.id, kind: "plugin", name: plugin.id, state: "failed", message }];
    }
  });
  return (await Promise.all(lists)).flat();
}
