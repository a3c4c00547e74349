import {
  describeThrown,
  type Plugin,
  RepriseError,
  type Tool,
  type ToolSource,
  type ToolSourceContext,
  type ToolSourceView,
} from "@reprise/contracts";
import { createCatalogueFilter } from "./catalogue-filter.ts";
import { readSection } from "./read-section.ts";
import type { Owned, ResolvedAgent } from "./resolved-agent.ts";
import { toolLists } from "./tool-pipeline.ts";

/** What the tool sources of an agent list, each list with its plugin. */
export type SourcedTools = readonly Owned<readonly Tool[]>[];

/** The services that a preparing host lends to sources. */
export type ToolSourceCaller = Omit<ToolSourceContext, "agentId" | "agentSpec" | "section">;

type Sourcing = Plugin & { readonly toolSource: ToolSource };

export function hasToolSources({ installed }: ResolvedAgent): boolean {
  return installed.plugins.some(isSourcing);
}

/** Has the sources of an agent connect or refresh. Answers with a promise only when one of them does. */
export function prepareSources(agent: ResolvedAgent, caller: ToolSourceCaller): Promise<unknown> | undefined {
  const waits: Promise<void>[] = [];
  for (const plugin of agent.installed.plugins.filter(isSourcing)) {
    const fail = (error: unknown): never => {
      const message = `Plugin ${plugin.id} could not prepare its tools: ${describeThrown(error)}`;
      throw new RepriseError("PLUGIN_FAILED", message, { cause: error, details: { plugin: plugin.id } });
    };
    try {
      const wait = plugin.toolSource.prepare?.({ ...viewFor(agent, plugin, caller.tenant), ...caller });
      if (wait !== undefined) waits.push(Promise.resolve(wait).catch(fail));
    } catch (error) {
      waits.push(Promise.reject(error).catch(fail));
    }
  }
  return waits.length === 0 ? undefined : Promise.all(waits);
}

export function listSources(agent: ResolvedAgent, tenant: string): SourcedTools {
  return agent.installed.plugins
    .filter(isSourcing)
    .map((plugin) => ({ plugin: plugin.id, value: plugin.toolSource.list(viewFor(agent, plugin, tenant)) }));
}

/**
 * An agent with the tools that its sources list beside those it is defined with. A source may list anything, so a tool whose id is
 * taken is left out and reported: no source can change which tool an id means, or keep the agent from running.
 */
export function withSourcedTools(
  agent: ResolvedAgent,
  sourced: SourcedTools,
  report: (plugin: string, toolId: string) => void,
): ResolvedAgent {
  const tools = new Map(agent.tools);
  const owned = new Map(agent.installed.tools);
  const filter = createCatalogueFilter(toolLists(agent.spec));
  for (const { plugin, value } of sourced) {
    for (const tool of value) {
      const { id } = tool.descriptor;
      if (filter.excludes(id)) continue;
      if (tools.has(id)) report(plugin, id);
      else {
        tools.set(id, tool);
        owned.set(id, { plugin, value: tool });
      }
    }
  }
  return Object.freeze({ ...agent, tools, installed: Object.freeze({ ...agent.installed, tools: owned }) });
}

function isSourcing(plugin: Plugin): plugin is Sourcing {
  return plugin.toolSource !== undefined;
}

function viewFor(agent: ResolvedAgent, { id }: Plugin, tenant: string): ToolSourceView {
  return { agentId: agent.spec.id, agentSpec: agent.spec, tenant, section: (key) => readSection(agent, id, key) };
}
