import { RepriseError, toRepriseError } from "@reprise/contracts";
import { BudgetBook } from "../budget/budget-book.ts";
import { TokenEstimator } from "../context/token-estimator.ts";
import { assertKnownKeys, type KeysOf } from "../define/assert-known-keys.ts";
import type { Agent } from "../define/define-agent.ts";
import { Dispatcher } from "../dispatcher/dispatcher.ts";
import { PresenceKeeper } from "../dispatcher/presence-keeper.ts";
import { LiveBus } from "../journal/live-bus.ts";
import { Signals } from "../journal/signals.ts";
import { StoppedRuns } from "../journal/stopped-runs.ts";
import type { Services } from "../loop/services.ts";
import { limitBlobs } from "../media/limit-blobs.ts";
import { PluginInferences } from "../phases/infer-for-plugin.ts";
import { Agents } from "../resolve/agents.ts";
import { buildRegistries, DEFINITION_KEYS, type Definitions } from "../resolve/build-registries.ts";
import { assertLimits, DEFAULT_LIMITS } from "../run/limits.ts";
import type { Delegation } from "../run/ports.ts";
import { StoreTime } from "../thread/store-time.ts";
import { ThreadCache } from "../thread/thread-cache.ts";
import { RunPools } from "../tools/pools/run-pools.ts";
import { createDelegation } from "./delegation.ts";
import { closeResources } from "./plugin-resources.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { RuntimeFacade } from "./runtime-facade.ts";

const RUNTIME_KEYS: KeysOf<RuntimeOptions> = {
  ...DEFINITION_KEYS,
  registries: true,
  store: true,
  blobs: true,
  env: true,
  limits: true,
  tenant: true,
  tokenCounter: true,
  instanceId: true,
  beforeModelAttempt: true,
  onToolError: true,
  recordedWorld: true,
  live: true,
  extendDefinitions: true,
  onClose: true,
};

/** Puts a runtime together. Every mistake in the agents is reported here. */
export async function createRuntime<Known extends Agent = Agent>(
  options: RuntimeOptions<Known>,
): Promise<Runtime<Known>> {
  assertKnownKeys("createRuntime", options, RUNTIME_KEYS);
  assertKnownKeys("the limits of createRuntime", options.limits ?? {}, DEFAULT_LIMITS);
  const { env, store, tenant = "default" } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  assertLimits(limits);
  const closed = new AbortController();
  const { extendDefinitions = (definitions: Definitions) => definitions } = options;
  const time = new StoreTime(env.clock);
  let delegation: Delegation | undefined;
  const services: Services = {
    env,
    store,
    time,
    blobs: limitBlobs(options.blobs, limits.tenantBlobBytes),
    limits,
    agents: new Agents(options.registries ?? buildRegistries(extendDefinitions(options)), env),
    pools: new RunPools(limits.pools),
    budgets: new BudgetBook(store),
    inferences: new PluginInferences(),
    beforeModelAttempt: options.beforeModelAttempt,
    onToolError: options.onToolError,
    recordedWorld: options.recordedWorld,
    observers: new Set(),
    get delegation() {
      if (delegation === undefined) throw new RepriseError("INTERNAL", "A run began before its runtime was open.");
      return delegation;
    },
    bus: new LiveBus(options.live),
    signals: new Signals(store, env.clock, limits.recheckMs),
    stopped: new StoppedRuns(),
    threads: new ThreadCache(limits),
    tokens: new TokenEstimator(options.tokenCounter, env.log),
    closed: closed.signal,
    owner: options.instanceId ?? env.ids.uuid(),
  };
  // Resolved now, so that what is odd about an agent is said at the start.
  for (const id of services.agents.registries.agents.ids())
    if (options.registries === undefined) services.agents.plan(id);
  const presence = new PresenceKeeper(services, options.instanceId !== undefined);
  if (limits.maxActiveRuns > 0) await enterStore(services, presence);
  const leave = async (): Promise<void> => {
    services.bus.close();
    await closeResources(services);
    try {
      await presence.leave();
    } catch (error) {
      env.log("warn", "could not leave the workers of the store", { problem: toRepriseError(error).message });
    }
    await options.onClose?.();
  };
  // A store that is away fails the calls that need it; the first claim tells the time as well.
  await time.ask(store.operator).catch(() => undefined);
  const dispatcher = new Dispatcher(services, presence);
  delegation = createDelegation(services, dispatcher);
  dispatcher.open();
  return new RuntimeFacade(services, { dispatcher, leave, extendDefinitions }, tenant, closed);
}

async function enterStore({ signals }: Services, presence: PresenceKeeper): Promise<void> {
  try {
    await presence.enter();
  } catch (error) {
    signals.close();
    throw error;
  }
}
