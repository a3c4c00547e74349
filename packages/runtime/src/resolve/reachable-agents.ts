import type { AgentSpec, AgentSummary, RunPolicy } from "@reprise/contracts";
import { createCatalogueFilter } from "./catalogue-filter.ts";
import type { RegistrySet } from "./registry-set.ts";

// Registries and specs never change, and every step of an agent that delegates asks.
const known = new WeakMap<RegistrySet["agents"], WeakMap<AgentSpec, readonly AgentSummary[]>>();

/**
 * The agents that may work for an agent in a run: those that its lists admit and the run's policy does not take away. The agent itself is
 * among them only when its allow lists admit it.
 */
export function reachableAgents(
  { agents }: Pick<RegistrySet, "agents">,
  spec: AgentSpec,
  { allowed_agents, excluded_agents }: RunPolicy,
): readonly AgentSummary[] {
  let bySpec = known.get(agents);
  if (bySpec === undefined) {
    bySpec = new WeakMap();
    known.set(agents, bySpec);
  }
  let admitted = bySpec.get(spec);
  if (admitted === undefined) {
    admitted = Object.freeze(admittedAgents(agents, spec));
    bySpec.set(spec, admitted);
  }
  if (allowed_agents === undefined && excluded_agents === undefined) return admitted;
  return admitted.filter(({ id }) => allowed_agents?.includes(id) !== false && excluded_agents?.includes(id) !== true);
}

function admittedAgents(agents: RegistrySet["agents"], spec: AgentSpec): readonly AgentSummary[] {
  const { admits } = createCatalogueFilter({
    allowed: spec.allowed_agents,
    allowedPatterns: spec.allowed_agent_patterns,
    excluded: spec.excluded_agents ?? [],
    excludedPatterns: spec.excluded_agent_patterns ?? [],
  });
  const allowsItself = spec.allowed_agents !== undefined || spec.allowed_agent_patterns !== undefined;
  return agents.ids().flatMap((id) => {
    if (!admits(id) || (id === spec.id && !allowsItself)) return [];
    const entry = agents.get(id);
    return entry === undefined ? [] : [{ id, name: entry.spec.name, description: entry.spec.description }];
  });
}
