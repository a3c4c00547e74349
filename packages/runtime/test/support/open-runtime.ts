import type { BlobStore, Env, LanguageModel, LiveRelay, Store, TenantStore, Tool } from "@reprise/contracts";
import { type Script, type ScriptedModel, scriptedModel } from "@reprise/models";
import {
  type Agent,
  type AgentDefinition,
  createRuntime,
  defineAgent,
  type Limits,
  type Runtime,
} from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, type FakeEnv } from "@reprise/testkit";
import { onTestFinished } from "vitest";

export interface OpenOptions {
  /** What the model does; ignored when a model is given. */
  readonly script?: Script;
  readonly model?: LanguageModel;
  readonly tools?: readonly Tool[];
  readonly agent?: Partial<Omit<AgentDefinition, "id" | "model" | "tools">>;
  /** Agents beside `agent`. */
  readonly others?: readonly Agent[];
  readonly limits?: Partial<Limits>;
  /** Shared by several runtimes of one test. */
  readonly world?: World;
  /** What this runtime sees of the world's store. */
  readonly store?: Store;
  readonly env?: Env;
  readonly instanceId?: string;
  readonly tenant?: string;
  readonly live?: LiveRelay;
}

/** What runtimes share: time, the store, the blobs. */
export interface World {
  readonly env: FakeEnv;
  readonly store: Store;
  readonly blobs: BlobStore;
}

export interface Bench extends World {
  readonly runtime: Runtime;
  readonly model: ScriptedModel;
  /** The store as the runtime's tenant has it, whatever the runtime sees of it. */
  readonly tenant: TenantStore;
}

export function createWorld(): World {
  const env = createFakeEnv();
  return { env, store: createMemoryStore({ clock: env.clock }), blobs: createMemoryBlobStore(env) };
}

/** A runtime with one agent, `agent`, that does what the script says. Closed when the test is over. */
export async function openRuntime(options: OpenOptions = {}): Promise<Bench> {
  const world = options.world ?? createWorld();
  const model = scriptedModel(options.script ?? ["done"]);
  const store = options.store ?? world.store;
  const runtime = await createRuntime({
    agents: [
      defineAgent({ ...options.agent, id: "agent", model: options.model ?? model, tools: options.tools ?? [] }),
      ...(options.others ?? []),
    ],
    env: options.env ?? world.env,
    store,
    blobs: world.blobs,
    limits: { closeTimeoutMs: 1, ...options.limits },
    ...(options.live !== undefined && { live: options.live }),
    ...(options.instanceId !== undefined && { instanceId: options.instanceId }),
    ...(options.tenant !== undefined && { tenant: options.tenant }),
  });
  // Not awaited: a test may have left it where it cannot end, and no real timer is behind it.
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { ...world, store, runtime, model, tenant: world.store.forTenant(options.tenant ?? "default") };
}
