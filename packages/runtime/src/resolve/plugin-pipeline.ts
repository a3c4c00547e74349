import { checkSections } from "./check-sections.ts";
import { collectPlugins } from "./collect-plugins.ts";
import { installPlugins } from "./installed-plugins.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import type { InstalledPlugins, ResolveWarning } from "./resolved-agent.ts";
import { warnOfSettings } from "./setting-warnings.ts";

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
