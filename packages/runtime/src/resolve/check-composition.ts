import { type AgentSpec, partsOf, RepriseError } from "@reprise/contracts";
import type { RegistrySet } from "./registry-set.ts";
import { missing } from "./resolve-errors.ts";

/** Refuses a composition that names an agent that is not there, or that is, over others, a part of itself. */
export function checkComposition(
  { agents }: Pick<RegistrySet, "agents">,
  spec: AgentSpec,
  above: readonly string[] = [],
): void {
  if (spec.compose === undefined) return;
  const path = [...above, spec.id];
  for (const id of partsOf(spec.compose)) {
    if (path.includes(id)) {
      const loop = [...path.slice(path.indexOf(id)), id].join(" → ");
      throw new RepriseError("COMPOSITION_CYCLE", `Agent ${JSON.stringify(id)} is a part of itself: ${loop}.`, {
        details: { agent_id: spec.id, id },
      });
    }
    const entry = agents.get(id);
    if (entry === undefined) {
      const remedy = "Add it to the agents, or correct `compose`.";
      throw missing({ code: "AGENT_NOT_FOUND", agentId: spec.id, what: "agent", id, known: agents.ids(), remedy });
    }
    checkComposition({ agents }, entry.spec, path);
  }
}
