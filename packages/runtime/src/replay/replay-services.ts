import { type Env, RepriseError } from "@reprise/contracts";
import { TokenEstimator } from "../context/token-estimator.ts";
import type { EffectPort } from "../effects/port.ts";
import { LiveBus } from "../journal/live-bus.ts";
import type { Services } from "../loop/services.ts";
import { PluginInferences } from "../phases/infer-for-plugin.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { DEFAULT_LIMITS } from "../run/limits.ts";
import { RunPools } from "../tools/pools/run-pools.ts";
import type { ReplayContext } from "./replay-recording.ts";

/** What the loop works with in a replay: nothing outside can notice it, and nothing outside is asked. */
export function createReplayServices({ env, agents, program, services }: ReplayContext, effects: EffectPort): Services {
  const quiet = quietEnv(env, effects);
  const { limits = DEFAULT_LIMITS, tokens = new TokenEstimator(undefined, quiet.log) } = services ?? {};
  const nothing = (): undefined => undefined;
  return {
    env: quiet,
    time: { now: () => effects.now, hear: nothing, ask: async () => undefined },
    limits,
    tokens,
    agents: agents ?? untouchable<AgentSource>("an agent", { program: program ?? nothing }),
    bus: new LiveBus(),
    pools: new RunPools(limits.pools),
    store: { ...untouchable("its store"), forTenant: () => untouchable("its store") },
    blobs: untouchable("the blobs"),
    budgets: untouchable("a budget"),
    // Notifications have no receiver in a replay.
    signals: { nudge: nothing } as unknown as Services["signals"],
    stopped: { goOn: nothing } as unknown as Services["stopped"],
    threads: { forget: nothing } as unknown as Services["threads"],
    inferences: new PluginInferences(),
    delegation: untouchable("for runs below"),
    beforeModelAttempt: undefined,
    observers: new Set(),
    closed: new AbortController().signal,
    owner: "replay",
  };
}

/** Time stands still but for what was recorded. */
function quietEnv(env: Env, effects: EffectPort): Env {
  const { sleep, after } = env.clock;
  return {
    ...env,
    clock: { now: () => effects.now, mono: () => 0, sleep, after },
    hash: (content) => env.hash(content),
    random: () => 0,
    log: () => undefined,
    point: () => undefined,
  };
}

/** Stands for a part of the world whose answers all come from the recording. */
function untouchable<Part extends object>(what: string, known: Partial<Part> = {}): Part {
  const refuse = (): never => {
    throw new RepriseError("INTERNAL", `A replay asked ${what}.`);
  };
  // Whatever is not known refuses to be called.
  return new Proxy(known as Part, { get: (target, key) => Reflect.get(target, key) ?? refuse });
}
