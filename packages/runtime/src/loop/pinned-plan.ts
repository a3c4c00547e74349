import type { EffectPort } from "../effects/port.ts";
import { type AgentSource, type InheritedPlugin, notLocal } from "../resolve/agents.ts";
import { recordedPlan } from "../resolve/recorded-agent.ts";
import { describePlan } from "../resolve/recorded-definition.ts";
import type { ResolvedAgent, ResolvedRunPlan } from "../resolve/resolved-agent.ts";

/** How an activation's run is executed: as its agent is defined now, or, in a replay, as it was then. */
export function pinnedPlan(
  effects: EffectPort,
  agents: AgentSource,
  agentId: string,
  inherited: readonly InheritedPlugin[],
): ResolvedRunPlan {
  const decode = (stored: Parameters<typeof recordedPlan>[0] | undefined) =>
    recordedPlan(stored ?? {}, (kind) => agents.program(kind));
  const question = { kind: "definition", of: agentId, encode: describePlan, decode } as const;
  return effects.note(question, () => agents.planRun(agentId, inherited));
}

/** The agent of a plan that is executed here. */
export function localAgent(plan: ResolvedRunPlan, agentId: string): ResolvedAgent {
  if (plan.kind === "local") return plan.agent;
  throw notLocal(plan, agentId);
}
