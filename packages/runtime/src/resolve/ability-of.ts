import type { AgentAbility, Env } from "@reprise/contracts";
import type { ResolvedAgent } from "./resolved-agent.ts";
import { toolVersion } from "./tool-version.ts";

// A resolved agent never changes, and may have a thousand tools.
const known = new WeakMap<ResolvedAgent, AgentAbility>();

/** What having an agent enables a process to do. */
export function abilityOf(env: Env, agent: ResolvedAgent): AgentAbility {
  const told = known.get(agent);
  if (told !== undefined) return told;
  const versions = Array.from(agent.tools, ([id, tool]) => [id, toolVersion(env, tool)] as const);
  const ability = { definition: agent.definition, tools: Object.fromEntries(versions) };
  known.set(agent, ability);
  return ability;
}
