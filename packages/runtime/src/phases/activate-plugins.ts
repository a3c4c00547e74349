import { type Plugin, RepriseError } from "@reprise/contracts";
import type { RunWorkspace } from "../loop/run-workspace.ts";
import { describeThrown } from "../tools/describe-thrown.ts";
import { PhaseView } from "./phase-view.ts";

/** The plugins that were told that a run is worked on, and are to be told when that is over. */
export interface ActivePlugins {
  deactivate(): Promise<void>;
}

/** Tells the plugins that a run is worked on in this process. One that refuses fails the run. */
export async function activatePlugins(workspace: RunWorkspace): Promise<ActivePlugins> {
  const active: Plugin[] = [];
  const deactivate = async (): Promise<void> => {
    for (const plugin of active.toReversed()) await deactivatePlugin(workspace, plugin);
  };
  for (const plugin of workspace.agent.env.plugins) {
    if (plugin.onActivate === undefined && plugin.onDeactivate === undefined) continue;
    try {
      await plugin.onActivate?.(viewOf(workspace, plugin));
    } catch (error) {
      await deactivate();
      const message = `Plugin ${plugin.id} could not be activated: ${describeThrown(error)}`;
      throw new RepriseError("PLUGIN_FAILED", message, { cause: error, details: { plugin: plugin.id } });
    }
    active.push(plugin);
  }
  return { deactivate };
}

async function deactivatePlugin(workspace: RunWorkspace, plugin: Plugin): Promise<void> {
  try {
    await plugin.onDeactivate?.(viewOf(workspace, plugin));
  } catch (error) {
    const details = { plugin: plugin.id, run_id: workspace.run.run_id, problem: describeThrown(error) };
    workspace.services.env.log("error", "a plugin could not be deactivated", details);
  }
}

function viewOf(workspace: RunWorkspace, { id }: Plugin): PhaseView {
  const { document, now, run } = workspace;
  return new PhaseView(
    workspace,
    { phase: "run_start", now, document, place: `${run.run_id}-activation` },
    id,
    undefined,
  );
}
