import type { Env, Store } from "@reprise/contracts";
import { BudgetBook } from "../budget/budget-book.ts";
import { TokenEstimator } from "../context/token-estimator.ts";
import { LiveBus } from "../journal/live-bus.ts";
import { Signals } from "../journal/signals.ts";
import { StoppedRuns } from "../journal/stopped-runs.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { buildRegistries } from "../resolve/build-registries.ts";
import type { ResolvedAgent } from "../resolve/resolved-agent.ts";
import { DEFAULT_LIMITS, type Services } from "../services.ts";
import { ThreadCache } from "../thread/thread-cache.ts";
import { RunPools } from "../tools/pools/run-pools.ts";
import type { Playback } from "./playback.ts";
import type { ReplayContext } from "./replay-recording.ts";

/** Who waits for a place waited when it was recorded: in a replay there is room for all. */
const ROOM = 1_000_000;

/** What the parts of a runtime share, for one that nothing outside can notice. */
export function createReplayServices(
  { env, blobs, agents, services }: ReplayContext,
  { store, playback, agent }: { readonly store: Store; readonly playback: Playback; readonly agent: ResolvedAgent },
): Services {
  const quiet = replayEnv(env, playback);
  const signals = new Signals(store, quiet.clock, DEFAULT_LIMITS.recheckMs);
  signals.close();
  const { limits = DEFAULT_LIMITS } = services ?? {};
  return {
    env: quiet,
    store,
    blobs,
    agents: oneAgent(agent, agents),
    pools: new RunPools({ read: ROOM, serial: ROOM, concurrent: ROOM }),
    limits,
    budgets: new BudgetBook(store),
    beforeModelAttempt: undefined,
    bus: new LiveBus(),
    signals,
    stopped: new StoppedRuns(),
    threads: new ThreadCache({ cachedThreads: 1, cachedCharacters: Infinity }),
    tokens: services?.tokens ?? new TokenEstimator(undefined, quiet.log),
    closed: new AbortController().signal,
    owner: "replay",
  };
}

/** Time stands still but for what was recorded, and nobody hears of it. */
function replayEnv(env: Env, playback: Playback): Env {
  const pause = async (): Promise<void> => {
    // Time for what comes next to come.
    for (let turn = 0; turn < 3; turn += 1) await env.yield();
  };
  const { sleep, after } = env.clock;
  return {
    ...env,
    clock: {
      now: () => playback.expected.changeset.events.at(-1)?.timestamp_ms ?? 0,
      mono: () => playback.mono,
      sleep,
      after,
    },
    hash: (content) => env.hash(content),
    random: () => 0,
    yield: pause,
    log: () => undefined,
    point: () => undefined,
  };
}

function oneAgent(agent: ResolvedAgent, agents: AgentSource | undefined): AgentSource {
  return {
    registries: agents?.registries ?? buildRegistries({ agents: [] }),
    replace: () => undefined,
    lend: () => () => undefined,
    assertKnown: () => undefined,
    plan: () => ({ kind: "local", agent }),
    resolve: () => agent,
    model: () => agent.model,
  };
}
