import type { AgentSpec, AgentSummary, RunPolicy } from "@reprise/contracts";
import { createCatalogueFilter } from "./catalogue-filter.ts";
import type { RegistrySet } from "./registry-set.ts";

/**
 * The agents that may work for an agent in a run: those that its lists admit and the run's policy does not take away. The agent itself is
 * among them only when its allow lists admit it.
 */
export function reachableAgents(
  { agents }: Pick<RegistrySet, "agents">,
  spec: AgentSpec,
  { allowed_agents, excluded_agents }: RunPolicy,
): readonly AgentSummary[] {
  const { admits } = createCatalogueFilter({
    allowed: spec.allowed_agents,
    allowedPatterns: spec.allowed_agent_patterns,
    excluded: spec.excluded_agents ?? [],
    excludedPatterns: spec.excluded_agent_patterns ?? [],
  });
  const allowsItself = spec.allowed_agents !== undefined || spec.allowed_agent_patterns !== undefined;
  const isTakenAway = (id: string): boolean =>
    allowed_agents?.includes(id) === false || excluded_agents?.includes(id) === true;
  return agents.ids().flatMap((id) => {
    if (!admits(id) || isTakenAway(id) || (id === spec.id && !allowsItself)) return [];
    const entry = agents.get(id);
    return entry === undefined ? [] : [{ id, name: entry.spec.name, description: entry.spec.description }];
  });
}
