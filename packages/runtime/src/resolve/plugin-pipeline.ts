import type { AgentSpec, Plugin } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import { collectPlugins } from "./collect-plugins.ts";
import { installPlugins } from "./installed-plugins.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import { unresolvable } from "./resolve-errors.ts";
import type { InstalledPlugins, ResolveWarning } from "./resolved-agent.ts";
import { RETRY_SECTION } from "./retry.ts";
import { findSectionProblem } from "./section-problem.ts";

/** The name under which the runtime itself claims things. */
const RUNTIME = "the runtime";

/**
 * Holds the sections of an agent against the schemas of the plugins they belong to. A section that no plugin claims is probably
 * misspelt, or its plugin was forgotten: a warning. A section that is absent is fine.
 */
function checkSections(spec: AgentSpec, plugins: readonly Plugin[]): readonly ResolveWarning[] {
  const owners = new Map<string, string>([[RETRY_SECTION, RUNTIME]]);
  for (const plugin of plugins) {
    for (const [section, schema] of Object.entries(plugin.sections)) {
      claimSection(spec, owners, section, plugin);
      checkSection(spec, plugin, section, schema);
    }
  }
  return Object.keys(spec.sections)
    .filter((section) => !owners.has(section))
    .map((section) => ({
      kind: "unclaimed_section",
      agent_id: spec.id,
      subject: section,
      message: `No plugin of agent ${JSON.stringify(spec.id)} claims the section ${JSON.stringify(section)}: the plugin it belongs to is not installed, or not named.`,
    }));
}

function claimSection(spec: AgentSpec, owners: Map<string, string>, section: string, { id }: Plugin): void {
  const other = owners.get(section);
  if (other !== undefined) {
    const problem = `the section ${JSON.stringify(section)} is claimed by ${other} and by ${id}.`;
    throw unresolvable("PLUGIN_CONFLICT", spec.id, problem, { section, plugins: [other, id] });
  }
  owners.set(section, id);
}

function checkSection(spec: AgentSpec, plugin: Plugin, section: string, schema: JsonObject): void {
  const { id } = plugin;
  const value = Object.hasOwn(spec.sections, section) ? spec.sections[section] : undefined;
  if (value === undefined) return;
  const where = `the section ${JSON.stringify(section)} of the plugin ${JSON.stringify(id)}`;
  const details = { plugin: id, section };
  let problem: string | undefined;
  try {
    problem = findSectionProblem(schema, value);
  } catch (error) {
    throw unresolvable("INVALID_DEFINITION", spec.id, `${where} has a schema that cannot be used.`, details, error);
  }
  if (problem !== undefined)
    throw unresolvable("INVALID_PLUGIN_CONFIG", spec.id, `${where} does not fit its schema: ${problem}.`, details);
  const wrong = plugin.findSectionProblem?.(section, value);
  if (wrong !== undefined)
    throw unresolvable("INVALID_PLUGIN_CONFIG", spec.id, `${where} is not valid: ${wrong}.`, details);
}

/** Settings of a context policy that only a plugin acts on. */
const COMPACTION_SETTINGS = ["autocompact_threshold", "compaction_mode", "compaction_raw_suffix_messages"] as const;
/** The names of the plugin that does. */
const COMPACTION_PLUGINS: readonly string[] = ["context", "compaction"];

/** Lists that only a plugin acts on, by the plugin. */
const PLUGIN_SETTINGS = {
  skills: ["allowed_skills", "allowed_skill_patterns", "excluded_skills", "excluded_skill_patterns"],
  agent_tools: ["delegates"],
} as const satisfies { readonly [plugin: string]: readonly (keyof AgentSpec)[] };

/** Settings that nothing acts on, because their plugin is missing. */
function warnOfSettings(spec: AgentSpec, plugins: readonly Plugin[]): readonly ResolveWarning[] {
  const warn = (setting: string, reason: string): ResolveWarning => ({
    kind: "setting_without_plugin",
    agent_id: spec.id,
    subject: setting,
    message: `The setting \`${setting}\` of agent ${JSON.stringify(spec.id)} has no effect: ${reason}.`,
  });
  const policy = plugins.some(({ id }) => COMPACTION_PLUGINS.includes(id)) ? {} : (spec.context_policy ?? {});
  const compaction = COMPACTION_SETTINGS.filter((name) => (policy[name] ?? null) !== null);
  const lists = Object.entries(PLUGIN_SETTINGS).flatMap(([plugin, names]) =>
    plugins.some(({ id }) => id === plugin)
      ? []
      : names
          .filter((name) => isSetList(name, spec[name]))
          .map((name) => warn(name, `the agent has no plugin "${plugin}"`)),
  );
  return [
    ...compaction.map((name) => warn(`context_policy.${name}`, `the agent has no plugin "${COMPACTION_PLUGINS[0]}"`)),
    ...lists,
  ];
}

/** An empty list of what is allowed says something; any other empty list does not. */
function isSetList(name: string, value: unknown): boolean {
  return Array.isArray(value) && (value.length > 0 || name.startsWith("allowed"));
}

/** What the second stage makes. */
export interface PluginStage {
  readonly installed: InstalledPlugins;
  readonly warnings: readonly ResolveWarning[];
}

/** Second stage: the plugins of an agent, their configuration checked, and what they come to together. */
export function runPluginPipeline(registries: RegistrySet, entry: AgentEntry): PluginStage {
  const plugins = collectPlugins(registries, entry);
  const warnings = [...checkSections(entry.spec, plugins), ...warnOfSettings(entry.spec, plugins)];
  return { installed: installPlugins(entry.spec, plugins), warnings };
}
