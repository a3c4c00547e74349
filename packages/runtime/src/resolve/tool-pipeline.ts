import type { AgentSpec, Tool } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { findGlobProblem } from "../spec/glob.ts";
import { type CatalogueLists, createCatalogueFilter } from "./catalogue-filter.ts";
import { warnOfAgents, warnOfCatalogue } from "./catalogue-warnings.ts";
import { type MergedTools, mergeTools, type ToolOrigin, type ToolOrigins } from "./merge-tools.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import { sayKnown, unresolvable } from "./resolve-errors.ts";
import type { InstalledPlugins, ResolveWarning } from "./resolved-agent.ts";
import { wrapTool } from "./wrap-tools.ts";

const PERMISSION_SECTION = "permission";

/** Permission rules about tools that there are, but that the catalogue keeps from the agent: nothing will ever ask them. */
function warnOfPermissions(spec: AgentSpec, { known, tools }: MergedTools): readonly ResolveWarning[] {
  const named = new Set(readRules(spec.sections[PERMISSION_SECTION]).flatMap(toolOf));
  return [...named]
    .filter((id) => known.get(id) !== undefined && !tools.has(id))
    .map((id) => ({
      kind: "orphan_permission_rule",
      agent_id: spec.id,
      subject: id,
      message: `Agent ${JSON.stringify(spec.id)}: a permission rule is about the tool ${JSON.stringify(id)}, which the agent's tool lists leave out.`,
    }));
}

/** The rules of the section, in any of the shapes people write. What the section must look like is for its plugin to say. */
function readRules(section: Json | undefined): readonly Json[] {
  if (Array.isArray(section)) return section;
  const rules = fieldOf(section, "rules");
  return Array.isArray(rules) ? rules : [];
}

/** The id of the tool a rule names; none for a rule about many. */
function toolOf(rule: Json): readonly string[] {
  const subject = fieldOf(rule, "subject") ?? rule;
  const named = [subject, ...["tool", "tool_id", "pattern"].map((key) => fieldOf(subject, key))];
  const text = named.find((value) => typeof value === "string");
  if (typeof text !== "string") return [];
  const tool = text.split("(", 1)[0] ?? "";
  return /^\/|[*?[\]]/.test(tool) ? [] : [tool];
}

function fieldOf(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  // Json arrays are readonly, which `isArray` does not take away.
  return (value as { readonly [key: string]: Json })[key];
}

/** Fields of a spec that hold patterns. */
const PATTERN_FIELDS = [
  "allowed_tool_patterns",
  "excluded_tool_patterns",
  "allowed_skill_patterns",
  "excluded_skill_patterns",
  "allowed_agent_patterns",
  "excluded_agent_patterns",
] as const satisfies readonly (keyof AgentSpec)[];

/** The four lists of a spec that are about tools. */
export function toolLists(spec: AgentSpec): CatalogueLists {
  return {
    allowed: spec.allowed_tools,
    allowedPatterns: spec.allowed_tool_patterns,
    excluded: spec.excluded_tools,
    excludedPatterns: spec.excluded_tool_patterns,
  };
}

/** A spec need not have come through `readAgentSpec`. */
function assertPatterns(spec: AgentSpec): void {
  for (const field of PATTERN_FIELDS) {
    for (const pattern of spec[field] ?? []) {
      const problem = findGlobProblem(pattern);
      if (problem !== undefined) throw unresolvable("INVALID_AGENT_SPEC", spec.id, `\`${field}\`: ${problem}.`);
    }
  }
}

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
  const isOpen = installed.plugins.some(({ toolSource }) => toolSource !== undefined);
  checkConcurrency(spec, merged, isOpen);
  const warnings = [
    ...warnOfCatalogue(spec, merged, isOpen),
    ...warnOfPermissions(spec, merged),
    ...warnOfAgents(spec, registries),
  ];
  const tools = new Map([...merged.tools].map(([id, tool]) => [id, wrapTool({ spec, installed }, tool)]));
  return { tools, warnings };
}

/** In this order: what is registered, the agent's own, its plugins. */
function collectSources(
  registries: RegistrySet,
  { spec, tools = [] }: AgentEntry,
  installed: InstalledPlugins,
): ToolOrigins {
  const own: ToolOrigin = { name: `the agent ${spec.id} itself`, tools, needsAllowance: true };
  const brought = installed.plugins.map((plugin) => ({
    name: `the plugin ${plugin.id}`,
    tools: plugin.tools,
    needsAllowance: false,
  }));
  return { registered: registries.tools, others: [own, ...brought] };
}

/**
 * Only what is known not to destroy anything may run beside others of its kind. `isOpen`: a plugin may bring more tools later, which
 * the spec may name already.
 */
function checkConcurrency(spec: AgentSpec, { known }: MergedTools, isOpen: boolean): void {
  for (const id of Object.keys(spec.tool_concurrency)) {
    const tool = known.get(id);
    const details = { tool_id: id };
    if (tool === undefined) {
      if (isOpen) continue;
      const problem = `\`tool_concurrency\` names the tool ${JSON.stringify(id)}, which it does not have.`;
      throw unresolvable("INVALID_AGENT_SPEC", spec.id, `${problem}${sayKnown(id, known.ids())}`, details);
    }
    if (tool.descriptor.is_destructive) {
      const problem = `\`tool_concurrency\` names the tool ${JSON.stringify(id)}, which is destructive.`;
      throw unresolvable("INVALID_AGENT_SPEC", spec.id, `${problem} Destructive tools run one at a time.`, details);
    }
  }
}
