import type { HookActions, Phase, PhaseContexts, PhaseHooks, Plugin } from "@reprise/contracts";
import { definePlugin, type PluginDefinition } from "@reprise/runtime";

/** A plugin with one hook in a phase that is only known when the test runs; what it returns is not checked by the compiler. */
export function hookPlugin<In extends Phase>(
  id: string,
  phase: In,
  hook: (context: PhaseContexts[In]) => unknown,
  parts: Omit<PluginDefinition, "id" | "hooks"> = {},
): Plugin {
  // What comes back is the very thing under test.
  const hooks = { [phase]: hook as (context: PhaseContexts[In]) => HookActions<In> } as unknown as PhaseHooks;
  return { ...definePlugin({ ...parts, id }), hooks };
}
