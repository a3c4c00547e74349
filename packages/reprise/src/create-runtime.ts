import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createTokenCounter, withEnvironment } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import {
  type Agent,
  type RuntimeOptions as BareRuntimeOptions,
  createRuntime as createBareRuntime,
  type Runtime,
} from "@reprise/runtime";
import { createMemoryBlobStore } from "@reprise/stores/memory";
// By way of the subpath: a compiler that has read this file then knows by which name a program with pnpm can import every type
// that its own declarations mention, also if the program imports the root alone.
import type { BlobStore, Env, StoreWithBlobs } from "./advanced.ts";
import { createLazyWorkflows, isWorkflow, withWorkflows } from "./lazy-workflows.ts";
import { sqlite } from "./stores.ts";

/** Options of `createRuntime`. The environment, the store, and the models of the environment's keys have defaults. */
export interface RuntimeOptions<Known extends Agent = Agent>
  extends Omit<BareRuntimeOptions<Known>, "store" | "blobs" | "env" | "extendDefinitions" | "onClose"> {
  /**
   * Where threads live, or the promise of it. Without one, a SQLite file in the folder that `REPRISE_STORAGE_DIR` names,
   * `threads` unless it is set; that one is closed with the runtime.
   */
  readonly store?: StoreWithBlobs | Promise<StoreWithBlobs>;
  /** Where large outputs and files live; with the threads when the store has a place for them. */
  readonly blobs?: BlobStore;
  readonly env?: Env;
}

/**
 * Puts a runtime together for Node: the real clock, a SQLite file unless a store is given, and the models that the environment
 * has keys or addresses for, by names like `openai/gpt-5`.
 */
export async function createRuntime<Known extends Agent = Agent>(
  options: RuntimeOptions<Known>,
): Promise<Runtime<Known>> {
  const { env = createNodeEnv() } = options;
  if (options.store !== undefined) return createOn(await options.store, env, options);
  const store = await openDefaultStore();
  try {
    return await createOn(store, env, { ...options, onClose: () => store.close() });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function createOn<Known extends Agent>(
  store: StoreWithBlobs,
  env: Env,
  options: RuntimeOptions<Known> & Pick<BareRuntimeOptions, "onClose">,
): Promise<Runtime<Known>> {
  const blobs = options.blobs ?? store.blobs ?? createMemoryBlobStore(env);
  const { tokenCounter = createTokenCounter() } = options;
  const workflowProgram = createLazyWorkflows(env);
  const extendDefinitions: BareRuntimeOptions["extendDefinitions"] = (definitions) => ({
    ...definitions,
    ...withEnvironment(definitions),
    programs: withWorkflows(definitions.programs ?? [], workflowProgram),
  });
  if (options.agents?.some(isWorkflow)) await workflowProgram.load();
  return createBareRuntime({ ...options, extendDefinitions, tokenCounter, env, store, blobs });
}

async function openDefaultStore(): Promise<StoreWithBlobs> {
  const folder = process.env.REPRISE_STORAGE_DIR || process.env.AGENTOS_STORAGE_DIR || "threads";
  // Threads hold what people said: a new folder is for its owner alone.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return sqlite(join(folder, "reprise.db"));
}
