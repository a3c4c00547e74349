import { PHASES, type ScheduledHandler } from "@reprise/contracts";
import type { ExecutionEnv, HookTable, Owned, ResolvedAgent } from "../resolve/resolved-agent.ts";
import type { ReplayWitness } from "./replay-witness.ts";

/** Any hook or handler: only that it is at work is of interest. */
type AnyHook = (...given: readonly unknown[]) => unknown;

/** Today's agent, with its hooks counted while they are at work: a replay that waits for one has not stalled. */
export function watchedAgent(agent: ResolvedAgent, witness: ReplayWitness): ResolvedAgent {
  const watch = (hook: AnyHook): AnyHook => {
    return (...given) => {
      const answer = hook(...given);
      if (!(answer instanceof Promise)) return answer;
      witness.pending += 1;
      return answer.finally(() => {
        witness.pending -= 1;
      });
    };
  };
  const env: ExecutionEnv = {
    ...agent.env,
    hooks: watchHooks(agent.env.hooks, watch),
    scheduled: new Map([...agent.env.scheduled].map(([key, owned]) => [key, watchHandler(owned, watch)])),
  };
  return { ...agent, env };
}

function watchHooks(hooks: HookTable, watch: (hook: AnyHook) => AnyHook): HookTable {
  const entries = PHASES.flatMap((phase) => {
    // Watching changes nothing of what a hook takes and gives, so it need not be known.
    const owned = hooks[phase] as readonly Owned<unknown>[] | undefined;
    if (owned === undefined) return [];
    return [[phase, owned.map(({ plugin, value }) => ({ plugin, value: watch(value as AnyHook) }))] as const];
  });
  // Each phase has its own hooks, as before; `fromEntries` forgets it.
  return Object.fromEntries(entries) as unknown as HookTable;
}

function watchHandler(owned: Owned<ScheduledHandler>, watch: (hook: AnyHook) => AnyHook): Owned<ScheduledHandler> {
  const { plugin, value } = owned;
  const handle = watch((payload, context) => (value.handle as AnyHook)(payload, context));
  // The handler of the same phase, counted.
  return { plugin, value: { phase: value.phase, handle } as unknown as ScheduledHandler };
}
