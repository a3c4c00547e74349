import { type AgentSpec, PHASES, type Plugin, type Tool } from "@reprise/contracts";
import { StateError, StateRegistry, type StateSlice } from "@reprise/state";
import { unresolvable } from "./resolve-errors.ts";
import type { HookTable, InstalledPlugins, Owned } from "./resolved-agent.ts";

/** Collects everything a list of plugins contributes, each part with the id of its plugin. */
export function installPlugins(spec: AgentSpec, plugins: readonly Plugin[]): InstalledPlugins {
  return Object.freeze({
    hooks: collectHooks(plugins),
    scheduled: collectByKey(spec, plugins, "scheduled action", ({ scheduled }) => scheduled),
    effects: collectByKey(spec, plugins, "effect", ({ effects }) => effects),
    transforms: plugins.flatMap(({ id, transforms }) => transforms.map((value) => ({ plugin: id, value }))),
    states: collectStates(spec, plugins),
    tools: collectTools(plugins),
    plugins,
  });
}

/** The same for one more run. The plugins are the same, so their parts are not put together again. */
export function renewPlugins(installed: InstalledPlugins): InstalledPlugins {
  return Object.freeze({ ...installed, hooks: Object.freeze({ ...installed.hooks }) });
}

/** Only phases with hooks: the loop skips the others. */
function collectHooks(plugins: readonly Plugin[]): HookTable {
  const table: { [phase: string]: Owned<unknown>[] } = {};
  for (const { id, hooks } of plugins) {
    for (const phase of PHASES) {
      const hook = hooks[phase];
      if (hook === undefined) continue;
      const list = table[phase];
      if (list === undefined) table[phase] = [{ plugin: id, value: hook }];
      else list.push({ plugin: id, value: hook });
    }
  }
  // Each phase is paired with its own hooks above; the loop forgets it.
  return Object.freeze(table as HookTable);
}

/** Handlers of one kind share their keys over all plugins of an agent: a key names one of them. */
function collectByKey<Handler>(
  spec: AgentSpec,
  plugins: readonly Plugin[],
  what: string,
  handlersOf: (plugin: Plugin) => { readonly [key: string]: Handler },
): ReadonlyMap<string, Owned<Handler>> {
  const byKey = new Map<string, Owned<Handler>>();
  for (const plugin of plugins) {
    for (const [key, value] of Object.entries(handlersOf(plugin))) {
      const other = byKey.get(key);
      if (other !== undefined) {
        const problem = `the ${what} ${JSON.stringify(key)} is declared by ${other.plugin} and by ${plugin.id}.`;
        throw unresolvable("PLUGIN_CONFLICT", spec.id, problem, { key, plugins: [other.plugin, plugin.id] });
      }
      byKey.set(key, { plugin: plugin.id, value });
    }
  }
  return byKey;
}

function collectStates(spec: AgentSpec, plugins: readonly Plugin[]): StateRegistry {
  const registry = new StateRegistry();
  for (const plugin of plugins) {
    for (const state of plugin.states) {
      try {
        registry.register(state);
      } catch (error) {
        if (!StateError.is(error)) throw error;
        const other = plugins.find(({ states }) => states.some((earlier) => doConflict(earlier, state)))?.id ?? "";
        const problem = `states of the plugins ${other} and ${plugin.id} conflict: ${error.message}`;
        const details = { state: state.name, plugins: [other, plugin.id] };
        throw unresolvable("PLUGIN_CONFLICT", spec.id, problem, details, error);
      }
    }
  }
  return registry;
}

/** Asked only to name the other plugin once it is known that there is one. */
function doConflict(earlier: StateSlice, state: StateSlice): boolean {
  try {
    new StateRegistry().register(earlier).register(state);
    return false;
  } catch {
    return true;
  }
}

/** Two plugins with a tool of the same id are told apart by the tool pipeline, which knows what is excluded. */
function collectTools(plugins: readonly Plugin[]): ReadonlyMap<string, Owned<Tool>> {
  const byId = new Map<string, Owned<Tool>>();
  for (const plugin of plugins) {
    for (const tool of plugin.tools) {
      const { id } = tool.descriptor;
      if (!byId.has(id)) byId.set(id, { plugin: plugin.id, value: tool });
    }
  }
  return byId;
}
