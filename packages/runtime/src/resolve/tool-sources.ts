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
import { wrapList } from "./wrap-tools.ts";

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
  return agent.installed.plugins.filter(isSourcing).map((plugin) => ({
    plugin: plugin.id,
    value: wrapList(agent, plugin.toolSource.list(viewFor(agent, plugin, tenant))),
  }));
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
  let merged = lastMerged.get(agent.tools);
  if (merged === undefined || !isSameList(merged.sourced, sourced)) {
    merged = mergeSourced(agent, sourced);
    lastMerged.set(agent.tools, merged);
  }
  const { tools, owned, taken } = merged;
  for (const { plugin, value } of taken) report(plugin, value);
  return Object.freeze({ ...agent, tools, installed: Object.freeze({ ...agent.installed, tools: owned }) });
}

interface MergedTools {
  readonly sourced: SourcedTools;
  readonly tools: ResolvedAgent["tools"];
  readonly owned: ResolvedAgent["installed"]["tools"];
  /** Ids of listed tools that other tools have. */
  readonly taken: readonly Owned<string>[];
}

// Lists seldom change between runs. The same tools are the same map, so that whatever is known about its tools stays known.
const lastMerged = new WeakMap<ResolvedAgent["tools"], MergedTools>();

/** Whether nothing was listed anew: a source gives the same array as long as nothing changed. */
export function isSameList(one: SourcedTools, other: SourcedTools): boolean {
  const isSame = ({ value }: SourcedTools[number], index: number): boolean => {
    const listed = other[index]?.value;
    return value === listed || (value.length === 0 && listed?.length === 0);
  };
  return one.length === other.length && one.every(isSame);
}

function mergeSourced(agent: ResolvedAgent, sourced: SourcedTools): MergedTools {
  const tools = new Map(agent.tools);
  const owned = new Map(agent.installed.tools);
  const taken: Owned<string>[] = [];
  const filter = createCatalogueFilter(toolLists(agent.spec));
  for (const { plugin, value } of sourced) {
    for (const tool of value) {
      const { id } = tool.descriptor;
      if (filter.excludes(id)) continue;
      if (tools.has(id)) taken.push({ plugin, value: id });
      else {
        tools.set(id, tool);
        owned.set(id, { plugin, value: tool });
      }
    }
  }
  return { sourced, tools, owned, taken };
}

function isSourcing(plugin: Plugin): plugin is Sourcing {
  return plugin.toolSource !== undefined;
}

/** What a plugin may know of an agent outside of its runs. */
export function viewFor(agent: ResolvedAgent, { id }: Plugin, tenant: string): ToolSourceView {
  return { agentId: agent.spec.id, agentSpec: agent.spec, tenant, section: (key) => readSection(agent, id, key) };
}
