import type { RemoteEndpoint, ToolDescriptor } from "@reprise/contracts";
import type { ResolvedRunPlan, ResolveWarning } from "../resolve/resolved-agent.ts";
import { STOP_PLUGIN_ID } from "../stop/stop-plugin.ts";

/** An agent as it was resolved, for people and user interfaces. */
export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Absent for an agent that runs elsewhere. */
  readonly model?: string;
  readonly plugins: readonly string[];
  readonly tools: readonly ToolDescriptor[];
  readonly warnings: readonly ResolveWarning[];
  /** Where it runs, when that is not here; without what it is reached with. */
  readonly endpoint?: Pick<RemoteEndpoint, "backend" | "url">;
  /** Changes when anything a run works with changes. */
  readonly definition?: string;
}

export function describePlan(plan: ResolvedRunPlan): AgentInfo {
  const spec = plan.kind === "local" ? plan.agent.spec : plan.spec;
  const { id, name, description } = spec;
  if (plan.kind === "backend") {
    const { url = "", backend = "a2a" } = spec.endpoint ?? {};
    return { id, name, description, plugins: [], tools: [], warnings: [], endpoint: { url, backend } };
  }
  const { agent } = plan;
  return {
    id,
    name,
    description,
    model: agent.modelSpec?.id ?? agent.model.id,
    plugins: agent.env.plugins.map((plugin) => plugin.id).filter((plugin) => plugin !== STOP_PLUGIN_ID),
    tools: [...agent.tools.values()].map(({ descriptor }) => descriptor),
    warnings: agent.warnings,
    definition: agent.definition,
  };
}
