import { type AgentSpec, type ContextPolicy, type Plugin, RepriseError } from "@reprise/contracts";
import { STOP_PLUGIN_ID, stopPlugin } from "../stop/stop-plugin.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import { missing, unresolvable } from "./resolve-errors.ts";

/** Part of every agent, whatever it declares. */
const DEFAULT_PLUGINS: readonly Plugin[] = [stopPlugin];

/** Ids only the runtime's own plugins may have. */
export const RESERVED_PLUGIN_IDS: ReadonlySet<string> = new Set([STOP_PLUGIN_ID]);

/** The plugins of an agent in the order in which they act: declared ones, the runtime's own, those of the context policy. */
export function collectPlugins(registries: RegistrySet, entry: AgentEntry): readonly Plugin[] {
  const { spec } = entry;
  assertNoneReserved(entry);
  const plugins = [...collectDeclared(registries, entry), ...DEFAULT_PLUGINS, ...contextPlugins(registries, spec)];
  const ids = new Set<string>();
  for (const { id } of plugins) {
    if (ids.has(id)) {
      const problem = `it has two plugins with the id ${JSON.stringify(id)}. Name each plugin once.`;
      throw unresolvable("PLUGIN_CONFLICT", spec.id, problem, { plugin: id });
    }
    ids.add(id);
  }
  return plugins;
}

function collectDeclared(registries: RegistrySet, { spec, plugins: own = [] }: AgentEntry): readonly Plugin[] {
  const named = spec.plugin_ids.map((id) => {
    const plugin = own.find((candidate) => candidate.id === id) ?? registries.plugins.get(id);
    if (plugin !== undefined) return plugin;
    const known = registries.plugins.ids();
    const remedy = "Register it with withPlugin.";
    throw missing({ code: "PLUGIN_NOT_FOUND", agentId: spec.id, what: "plugin", id, known, remedy });
  });
  return [...named, ...own.filter((plugin) => !named.includes(plugin))];
}

function contextPlugins({ contextPlugins: make }: RegistrySet, spec: AgentSpec): readonly Plugin[] {
  const policy: ContextPolicy | undefined = spec.context_policy;
  // Truncation and marks for caches need no plugin.
  if (policy === undefined || make === undefined) return [];
  try {
    return make(policy, spec);
  } catch (error) {
    if (RepriseError.is(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw unresolvable("INVALID_PLUGIN_CONFIG", spec.id, `its context policy cannot be used: ${reason}`, {}, error);
  }
}

function assertNoneReserved({ spec, plugins = [] }: AgentEntry): void {
  const reserved = [...spec.plugin_ids, ...plugins.map(({ id }) => id)].find((id) => RESERVED_PLUGIN_IDS.has(id));
  if (reserved === undefined) return;
  const problem = `the plugin id ${JSON.stringify(reserved)} is reserved: every agent has that plugin. Leave it out.`;
  throw unresolvable("PLUGIN_CONFLICT", spec.id, problem, { plugin: reserved });
}
