import type { Env } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import type { Definitions, Limits, Runtime } from "@reprise/runtime";
import { type LiveConfig, openLiveConfig } from "@reprise/server/config";
import type { NatsLive } from "@reprise/stores/nats-live";
import { createRuntime } from "reprise";
import type { StoreWithBlobs } from "reprise/advanced";
import { readMigrates } from "../settings/read-migrates.ts";
import { readMilliseconds } from "../settings/read-milliseconds.ts";
import type { Settings } from "../settings/settings.ts";
import { logOf } from "./create-log.ts";
import { openLiveEvents } from "./open-live.ts";
import { assertStoreExists, openStore } from "./open-store.ts";
import { describeBlobs, planBlobs } from "./plan-blobs.ts";
import { describeStore, planStore } from "./plan-store.ts";
import { readSetup, readWholeSetup, type Setup, sayWarning, type WholeSetup } from "./read-setup.ts";

/** A runtime on its store, put together from settings. */
export interface App {
  readonly runtime: Runtime;
  readonly setup: Setup;
  /** Where threads live, in words. */
  readonly storeName: string;
  close(): Promise<void>;
}

/** An app that works on runs. */
export interface WorkingApp extends App {
  /** Follows what others change in the configuration while it runs; a runtime that a module made has none. */
  readonly live?: LiveConfig;
}

/** The agent that is meant when none is named: `default`, or the first one. */
export function chooseAgent(runtime: Runtime): string {
  const ids = runtime.agents().map(({ id }) => id);
  return ids.find((id) => id === "default") ?? ids[0] ?? "default";
}

/** How a store is opened, and how much is done with it. */
interface Opening {
  readonly limits: Partial<Limits>;
  /** A database server that is down is waited for. A process that only looks says at once that it is not there. */
  readonly waits: boolean;
}

const TO_LOOK: Opening = { limits: { maxActiveRuns: 0 }, waits: false };

/** Opens a store to look at it and to decide: works on no run, needs no agent, makes nothing. */
export async function openToLook(settings: Settings): Promise<App> {
  const setup = await readSetup(settings);
  assertThere(setup);
  return open(setup, {}, TO_LOOK);
}

/** The same, and makes the store when it is not there: for what is kept before anything was served. */
export async function openToKeep(settings: Settings): Promise<App> {
  return open(await readSetup(settings), {}, TO_LOOK);
}

/** To look, knowing the agents: for what asks their plugins and rules. */
export async function openWithAgents(settings: Settings): Promise<WorkingApp> {
  const setup = await readWholeSetup(settings);
  assertThere(setup);
  return openLive(setup, TO_LOOK, () => undefined);
}

/** Opens a store to work: runs continue here, unless another process has the store and takes them. */
export async function openToWork(settings: Settings, warn: (text: string) => void): Promise<WorkingApp> {
  return openSetup(await readWholeSetup(settings), warn, { closeTimeoutMs: readMilliseconds(settings, "drainMs") });
}

/** The same for a setup that was read already, within limits: with `maxActiveRuns` 0 other processes do the work. */
export function openSetup(
  setup: WholeSetup,
  warn: (text: string) => void,
  limits: Partial<Limits>,
): Promise<WorkingApp> {
  return openLive(setup, { limits, waits: true }, warn);
}

/** Who only looks makes nothing: a store that is not there is a wrong place. */
function assertThere({ settings, config, module }: Setup): void {
  if (module?.runtime === undefined && module?.options.store === undefined)
    assertStoreExists(planStore(settings, config.store));
}

/** With the agents of the configuration, and those that were stored over them. */
async function openLive(setup: WholeSetup, opening: Opening, warn: (text: string) => void): Promise<WorkingApp> {
  const { config: base, ports, definitions } = setup;
  for (const warning of setup.warnings) warn(sayWarning(warning));
  const app = await open(setup, definitions, opening);
  if (setup.module?.runtime !== undefined) return app;
  try {
    const onProblem = ({ message }: Error): void => warn(message);
    const secretKey = setup.settings.variables.REPRISE_SECRET_KEY;
    const live = await openLiveConfig({
      runtime: app.runtime,
      base,
      ports,
      onProblem,
      ...(secretKey !== undefined && secretKey !== "" && { secretKey }),
    });
    return { ...app, live, close: () => closeBoth(live, app) };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function closeBoth(live: LiveConfig, app: App): Promise<void> {
  live.close();
  await app.close();
}

async function open(setup: Setup, definitions: Definitions, { limits, waits }: Opening): Promise<App> {
  const made = setup.module?.runtime;
  if (made !== undefined) return { runtime: made, setup, storeName: nameStore(setup), close: () => made.close() };
  const { store, storeName } = await openGivenStore(setup, waits);
  let live: NatsLive | undefined;
  try {
    live = await openLiveEvents(setup.settings, setup.config.live);
    const runtime = await createOn({ store, live }, setup, definitions, limits);
    return { runtime, setup, storeName, close: () => closeAll(runtime, live, store) };
  } catch (error) {
    await live?.close();
    await store.close();
    throw error;
  }
}

/** The store that the module brings, or the one the settings name. */
async function openGivenStore(
  setup: Setup,
  waits: boolean,
): Promise<{ readonly store: StoreWithBlobs; readonly storeName: string }> {
  const { settings, config, module } = setup;
  const given = await module?.options.store;
  if (given !== undefined) return { store: given, storeName: nameStore(setup) };
  const plan = planStore(settings, config.store);
  const blobs = planBlobs(settings, config.blobs);
  const store = await openStore(plan, { waits, migrates: readMigrates(settings), blobs });
  const files = blobs === undefined ? "" : `, files in ${describeBlobs(blobs)}`;
  return { store, storeName: describeStore(plan) + files };
}

function nameStore({ module }: Setup): string {
  return `the store that ${module?.file} opened`;
}

function createOn(
  { store, live }: { readonly store: StoreWithBlobs; readonly live: NatsLive | undefined },
  { settings, config, module }: Setup,
  definitions: Definitions,
  limits: Partial<Limits>,
): Promise<Runtime> {
  const tenantBlobBytes = config.server?.limits?.max_tenant_blob_bytes;
  const env: Env = createNodeEnv({ log: logOf(settings) });
  const instanceId = limits.maxActiveRuns === 0 ? undefined : settings.value("instanceId");
  const { blobs, tokenCounter, beforeModelAttempt, onToolError } = module?.options ?? {};
  return createRuntime({
    ...definitions,
    ...(blobs !== undefined && { blobs }),
    ...(tokenCounter !== undefined && { tokenCounter }),
    ...(beforeModelAttempt !== undefined && { beforeModelAttempt }),
    ...(onToolError !== undefined && { onToolError }),
    store,
    env,
    ...(live !== undefined && { live }),
    limits: { ...module?.options.limits, ...limits, ...(tenantBlobBytes !== undefined && { tenantBlobBytes }) },
    tenant: settings.text("tenant"),
    ...(instanceId !== undefined && { instanceId }),
  });
}

async function closeAll(runtime: Runtime, live: NatsLive | undefined, store: StoreWithBlobs): Promise<void> {
  try {
    await runtime.close();
  } finally {
    await live?.close();
    await store.close();
  }
}
