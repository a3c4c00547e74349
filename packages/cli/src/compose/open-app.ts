import type { Env } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import type { Definitions, Limits, Runtime } from "@reprise/runtime";
import { type LiveConfig, openLiveConfig } from "@reprise/server/config";
import { createRuntime } from "reprise";
import type { StoreWithBlobs } from "reprise/advanced";
import type { Settings } from "../settings/settings.ts";
import { createLog } from "./create-log.ts";
import { assertStoreExists, openStore } from "./open-store.ts";
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

/** An app that also knows what others change while it runs. */
export interface WorkingApp extends App {
  readonly live: LiveConfig;
}

/** Nobody waits longer than this for runs to come to a commit. */
const CLOSE_MS = 8_000;

/** Opens a store to look at it and to decide: works on no run, needs no agent, makes nothing. */
export async function openToLook(settings: Settings): Promise<App> {
  const setup = readSetup(settings);
  assertStoreExists(planStore(settings, setup.config.store));
  return open(setup, {}, { maxActiveRuns: 0 });
}

/** The same, and makes the store when it is not there: for what is kept before anything was served. */
export async function openToKeep(settings: Settings): Promise<App> {
  return open(readSetup(settings), {}, { maxActiveRuns: 0 });
}

/** To look, knowing the agents: for what asks their plugins and rules. */
export async function openWithAgents(settings: Settings): Promise<WorkingApp> {
  const setup = readWholeSetup(settings);
  assertStoreExists(planStore(settings, setup.config.store));
  return openLive(setup, { maxActiveRuns: 0 }, () => undefined);
}

/** Opens a store to work: runs go on here, unless another process has the store and takes them. */
export async function openToWork(settings: Settings, warn: (text: string) => void): Promise<WorkingApp> {
  return openLive(readWholeSetup(settings), { closeTimeoutMs: CLOSE_MS }, warn);
}

/** With the agents of the configuration, and those that were stored over them. */
async function openLive(setup: WholeSetup, limits: Partial<Limits>, warn: (text: string) => void): Promise<WorkingApp> {
  const { config: base, ports, definitions } = setup;
  for (const warning of setup.warnings) warn(sayWarning(warning));
  const app = await open(setup, definitions, limits);
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

async function open(setup: Setup, definitions: Definitions, limits: Partial<Limits>): Promise<App> {
  const { settings, config } = setup;
  const plan = planStore(settings, config.store);
  // A process that is to work waits for its database; one that only looks says at once that it is not there.
  const store = await openStore(plan, { waits: limits.maxActiveRuns !== 0 });
  try {
    const runtime = await createOn(store, setup, definitions, limits);
    return { runtime, setup, storeName: describeStore(plan), close: () => closeAll(runtime, store) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function createOn(
  store: StoreWithBlobs,
  { settings, config }: Setup,
  definitions: Definitions,
  limits: Partial<Limits>,
): Promise<Runtime> {
  const tenantBlobBytes = config.server?.limits?.max_tenant_blob_bytes;
  const env: Env = createNodeEnv({ log: createLog(settings.text("log"), (line) => process.stderr.write(line)) });
  const instanceId = limits.maxActiveRuns === 0 ? undefined : settings.value("instanceId");
  return createRuntime({
    ...definitions,
    store,
    env,
    limits: { ...limits, ...(tenantBlobBytes !== undefined && { tenantBlobBytes }) },
    tenant: settings.text("tenant"),
    ...(instanceId !== undefined && { instanceId }),
  });
}

async function closeAll(runtime: Runtime, store: StoreWithBlobs): Promise<void> {
  try {
    await runtime.close();
  } finally {
    await store.close();
  }
}
