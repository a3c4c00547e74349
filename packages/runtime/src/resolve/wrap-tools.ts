import type { Tool } from "@reprise/contracts";
import { readSection } from "./read-section.ts";
import { unresolvable } from "./resolve-errors.ts";
import type { ResolvedAgent } from "./resolved-agent.ts";

/** A tool as the plugins of an agent change it, in their order. */
export function wrapTool(agent: Pick<ResolvedAgent, "spec" | "installed">, tool: Tool): Tool {
  const { spec, installed } = agent;
  let wrapped = tool;
  for (const plugin of installed.plugins) {
    if (plugin.wrapTool === undefined) continue;
    const section = (key: string) => readSection(agent, plugin.id, key);
    wrapped = plugin.wrapTool(wrapped, { agentId: spec.id, agentSpec: spec, section });
    const { id } = tool.descriptor;
    if (wrapped.descriptor.id === id) continue;
    const problem = `the plugin ${plugin.id} gives the tool ${JSON.stringify(id)} another id. A wrapped tool keeps its id.`;
    throw unresolvable("INVALID_DEFINITION", spec.id, problem, { plugin: plugin.id, tool_id: id });
  }
  return wrapped;
}

const wrappedLists = new WeakMap<ResolvedAgent["spec"], WeakMap<readonly Tool[], readonly Tool[]>>();

/** The same for a list of a source. The same array for the same list, by which a run sees that nothing changed. */
export function wrapList(agent: Pick<ResolvedAgent, "spec" | "installed">, tools: readonly Tool[]): readonly Tool[] {
  if (agent.installed.plugins.every((plugin) => plugin.wrapTool === undefined)) return tools;
  const known = wrappedLists.get(agent.spec) ?? new WeakMap<readonly Tool[], readonly Tool[]>();
  wrappedLists.set(agent.spec, known);
  let wrapped = known.get(tools);
  if (wrapped === undefined) {
    wrapped = tools.map((tool) => wrapTool(agent, tool));
    known.set(tools, wrapped);
  }
  return wrapped;
}
