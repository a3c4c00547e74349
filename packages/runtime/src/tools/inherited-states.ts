import { activeAgentOf, type InheritedState, type KeptDocuments, RepriseError } from "@reprise/contracts";
import { sliceOf } from "@reprise/state";
import { readSection } from "../resolve/read-section.ts";
import type { AgentView, Host, RunView } from "../run/ports.ts";
import { inheritedPlugins } from "../thread/run-state.ts";
import type { CallState } from "./call-state.ts";

/** The state that plugins of a run pass on to a run which one of its calls starts. */
export async function collectInherited(
  { run, agent, services }: RunView & Pick<AgentView, "agent"> & Host,
  state: CallState,
  documents: (kind: string) => KeptDocuments,
): Promise<readonly InheritedState[]> {
  const inheriting = agent.installed.plugins.filter(({ inherit }) => inherit !== undefined);
  const above = inheritedPlugins(state.base);
  const found = inheriting.map(async (plugin): Promise<readonly InheritedState[]> => {
    const action = await plugin.inherit?.({
      agentId: activeAgentOf(run),
      agentSpec: agent.spec,
      ...(run.resource_id !== undefined && { resourceId: run.resource_id }),
      section: (key) => readSection(agent, plugin.id, key),
      state,
      documents,
      now: services.time.now(),
    });
    if (action === undefined) return [];
    const slice = sliceOf(action);
    if (slice === undefined || slice.scope !== "run" || !plugin.states.some(({ name }) => name === slice.name)) {
      const message = `Plugin ${plugin.id} must pass on one of its own states of the scope run (got ${action.state}).`;
      throw new RepriseError("INVALID_ACTION", message, { details: { plugin: plugin.id } });
    }
    const isOwn = agent.spec.plugin_ids.includes(plugin.id);
    const owner = isOwn ? undefined : above.find(({ plugin_id }) => plugin_id === plugin.id);
    const { ops } = slice.reduce({}, action);
    return [{ plugin_id: plugin.id, agent_id: owner?.agent_id ?? activeAgentOf(run), state: slice.name, ops }];
  });
  return (await Promise.all(found)).flat();
}
