import { describeThrown, type Plugin, RepriseError } from "@reprise/contracts";
import { type Patch, type StateSlice, storedVersion } from "@reprise/state";
import type { AgentView, CallBook, EventSink, Outside, RunView, StateAccess } from "../run/ports.ts";
import { encodePatch, showPatch } from "./apply-actions.ts";

type MigratedRun = Pick<RunView, "run"> &
  Pick<AgentView, "agent"> &
  Pick<CallBook, "openCalls"> &
  Outside &
  StateAccess &
  Pick<EventSink, "emitOnCommit">;

/**
 * Brings what earlier versions of plugins stored into the shape of today's, before any plugin looks at it. What a migration makes is
 * an effect, and part of the next commit.
 */
export function migrateStates(workspace: MigratedRun): void {
  for (const plugin of workspace.agent.installed.plugins) {
    for (const slice of plugin.states) {
      const calls = slice.scope === "tool_call" ? workspace.openCalls.map(({ call_id }) => call_id) : [undefined];
      for (const callId of calls) migrate(workspace, plugin, slice, callId);
    }
  }
}

function migrate(workspace: MigratedRun, plugin: Plugin, slice: StateSlice, callId: string | undefined): void {
  const { document, run } = workspace;
  const from = storedVersion(slice, document, callId);
  if (from === undefined || from === slice.version) return;
  if (from > slice.version) {
    const known = `This process knows version ${slice.version}; a newer one has to continue the run.`;
    const message = `The state ${slice.name} of thread ${run.thread_id} is stored in version ${from}. ${known}`;
    throw new RepriseError("FORMAT_TOO_NEW", message, { details: { state: slice.name, plugin: plugin.id } });
  }
  const question = { kind: "migrate", of: callId ?? slice.name, encode: encodePatch } as const;
  const { ops } = workspace.effects.note<Patch>(question, () => {
    try {
      return slice.migrate(document, callId);
    } catch (error) {
      const what = `its state ${slice.name} from version ${from} to ${slice.version}`;
      const message = `Plugin ${plugin.id} failed to migrate ${what}: ${describeThrown(error)}`;
      throw new RepriseError("PLUGIN_FAILED", message, { cause: error, details: { plugin: plugin.id } });
    }
  });
  const patch = workspace.addPatch(`plugin:${plugin.id}`, ops);
  if (patch !== undefined) showPatch(workspace, document, patch);
}
