import { type Plugin, RepriseError } from "@reprise/contracts";
import { type AgentSource, notLocal } from "../resolve/agents.ts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";

/** A variant of an agent, for runs of this process alone. */
export interface AgentExtension {
  /** The id of the variant. Runs of it wait while no process has it. */
  readonly id: string;
  /** Makes a plugin that the variant has beside the others, or instead of the installed one with the same id. */
  plugin(installed: (pluginId: string) => Plugin | undefined): Plugin;
}

/** A variant that is known. */
export interface AgentVariant {
  /** Has the plugins of the variant connect to their sources of tools now, as a run does when it begins. */
  prepare(): Promise<void>;
  /** Runs of it that are not at work wait from now on. */
  forget(): void;
}

/** Knows the variant until it is forgotten. It is in no list of agents. */
export function extendAgent(agents: AgentSource, agentId: string, { id, plugin: make }: AgentExtension): () => void {
  if (agents.registries.agents.ids().includes(id))
    throw new RepriseError("REGISTRY_CONFLICT", `An agent with the id ${JSON.stringify(id)} exists already.`, {
      details: { id },
    });
  const entry = lookUpEntry(agents.registries, agentId);
  const plan = agents.plan(agentId);
  if (plan.kind !== "local") throw notLocal(plan, agentId);
  const plugin = make((wanted) => plan.agent.installed.plugins.find((each) => each.id === wanted));
  const others = (entry.plugins ?? []).filter((each) => each.id !== plugin.id);
  const forget = agents.lend({ ...entry, plugins: [...others, plugin], spec: { ...entry.spec, id } });
  try {
    // A mistake is found now, and not by the first run.
    agents.plan(id);
  } catch (error) {
    forget();
    throw error;
  }
  return forget;
}
