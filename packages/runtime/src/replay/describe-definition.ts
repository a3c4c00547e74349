import type { Phase, Plugin } from "@reprise/contracts";
import { PHASES } from "@reprise/contracts";
import type { ResolvedAgent } from "../resolve/resolved-agent.ts";
import type { RecordedDefinition, RecordedPlugin } from "./recording.ts";

/** The shape of an agent as it is now. What may hold secrets or is only for the model is left out. */
export function describeDefinition(agent: ResolvedAgent): RecordedDefinition {
  const { context_policy: _window, endpoint: _endpoint, budget: _budget, ...spec } = agent.spec;
  return {
    definition: agent.definition,
    spec: { ...spec, system_prompt: "", sections: {}, chat_options: {} },
    tools: [...agent.tools.values()].map(({ descriptor }) => descriptor),
    plugins: agent.env.plugins.map(describePlugin),
    stop_policies: agent.stopPolicies.map(({ id, needsHistory }) => ({ id, needs_history: needsHistory !== false })),
  };
}

function describePlugin(plugin: Plugin): RecordedPlugin {
  const { id, hooks, states, scheduled, effects, onActivate, onDeactivate } = plugin;
  return {
    id,
    hooks: PHASES.filter((phase) => hooks[phase] !== undefined),
    states: states.map(({ name, path, scope }) => ({ name, path, scope })),
    scheduled: Object.fromEntries(Object.entries(scheduled).map(([key, { phase }]): [string, Phase] => [key, phase])),
    effects: Object.keys(effects),
    is_activated: onActivate !== undefined || onDeactivate !== undefined,
  };
}
