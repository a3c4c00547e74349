import type { AgentSpec, Tool } from "@reprise/contracts";
import { createCatalogueFilter } from "./catalogue-filter.ts";
import { agentLists, assertPatterns, toolLists } from "./catalogue-lists.ts";
import { warnOfCatalogue } from "./catalogue-warnings.ts";
import { delegateTool } from "./delegate-tool.ts";
import { findBackend, isRemote } from "./find-backend.ts";
import { type MergedTools, mergeTools, type ToolSource, type ToolSources } from "./merge-tools.ts";
import { warnOfPermissions } from "./permission-warnings.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import { missing, sayKnown, unresolvable } from "./resolve-errors.ts";
import type { InstalledPlugins, ResolveWarning } from "./resolved-agent.ts";

/** What the third stage makes. */
export interface ToolStage {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly warnings: readonly ResolveWarning[];
}

/** Third stage: the tools of an agent, from all that bring some, through the lists of its spec. */
export function runToolPipeline(registries: RegistrySet, entry: AgentEntry, installed: InstalledPlugins): ToolStage {
  const { spec } = entry;
  assertPatterns(spec);
  const merged = mergeTools(spec, collectSources(registries, entry, installed), createCatalogueFilter(toolLists(spec)));
  checkConcurrency(spec, merged);
  return { tools: merged.tools, warnings: [...warnOfCatalogue(spec, merged), ...warnOfPermissions(spec, merged)] };
}

/** In this order: what is registered, the agent's own, its delegates, its plugins. */
function collectSources(
  registries: RegistrySet,
  { spec, tools = [] }: AgentEntry,
  installed: InstalledPlugins,
): ToolSources {
  const own: ToolSource = { name: `the agent ${spec.id} itself`, tools, needsAllowance: true };
  const brought = installed.plugins.map((plugin) => ({
    name: `the plugin ${plugin.id}`,
    tools: plugin.tools,
    needsAllowance: false,
  }));
  return { registered: registries.tools, others: [own, ...collectDelegates(registries, spec), ...brought] };
}

function collectDelegates(registries: RegistrySet, spec: AgentSpec): readonly ToolSource[] {
  if (spec.delegates.length === 0) return [];
  const filter = createCatalogueFilter(agentLists(spec));
  return [...new Set(spec.delegates)].flatMap((id) => {
    const delegate = registries.agents.get(id)?.spec;
    if (delegate === undefined) {
      const remedy = "Register it with withAgent, or take it out of `delegates`.";
      const known = registries.agents.ids();
      throw missing({ code: "AGENT_NOT_FOUND", agentId: spec.id, what: "delegate", id, known, remedy });
    }
    if (isRemote(delegate)) findBackend(registries, delegate);
    if (!filter.admits(id)) return [];
    return [{ name: `the delegate ${id}`, tools: [delegateTool(delegate)], needsAllowance: true }];
  });
}

/** Only what is known not to destroy anything may run beside others of its kind. */
function checkConcurrency(spec: AgentSpec, { known }: MergedTools): void {
  for (const id of Object.keys(spec.tool_concurrency)) {
    const tool = known.get(id);
    const details = { tool_id: id };
    if (tool === undefined) {
      const problem = `\`tool_concurrency\` names the tool ${JSON.stringify(id)}, which it does not have.`;
      throw unresolvable("INVALID_AGENT_SPEC", spec.id, `${problem}${sayKnown(id, known.ids())}`, details);
    }
    if (tool.descriptor.is_destructive) {
      const problem = `\`tool_concurrency\` names the tool ${JSON.stringify(id)}, which is destructive.`;
      throw unresolvable("INVALID_AGENT_SPEC", spec.id, `${problem} Destructive tools run one at a time.`, details);
    }
  }
}
