import type { Egress, LanguageModel, Plugin, Tool } from "@reprise/contracts";
import { type Script, type ScriptedModel, scriptedModel } from "@reprise/models";
import { createInstalledPlugins } from "@reprise/plugins";
import {
  type AgentDefinition,
  createRuntime,
  type Definitions,
  defineAgent,
  type ReplayResult,
  type RunOutcome,
  type Runtime,
} from "@reprise/runtime";
import { createDefinitions, readConfig } from "@reprise/server/config";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, type FakeEnv } from "@reprise/testkit";
import { onTestFinished } from "vitest";

export interface OpenOptions {
  readonly script?: Script;
  readonly tools?: readonly Tool[];
  readonly plugins?: readonly Plugin[];
  readonly agent?: Partial<Omit<AgentDefinition, "id" | "model" | "tools" | "plugins">>;
  /** The way to servers on the network; none unless given. */
  readonly egress?: Egress;
  /** Instead of plugins from code: fields of the agent `agent` in a configuration file, which may name every installed plugin. */
  readonly configured?: { readonly [field: string]: unknown };
}

export interface Bench {
  readonly env: FakeEnv;
  readonly runtime: Runtime;
  readonly model: ScriptedModel;
  /** Runs the agent on the thread `t1` to its end. */
  run(input?: string): Promise<RunOutcome>;
  /** Verifies a run by its recording. Models, tools and plugins that are asked throw. */
  verify(outcome: Pick<RunOutcome, "run">): Promise<ReplayResult>;
}

/** A runtime with the agent `agent`, which does what the script says. Closed when the test is over. */
export async function openAgent(options: OpenOptions): Promise<Bench> {
  const { tools = [] } = options;
  const fake = createFakeEnv();
  const env = options.egress === undefined ? fake : { ...fake, egress: options.egress };
  const store = createMemoryStore({ clock: env.clock });
  const blobs = createMemoryBlobStore(env);
  const model = scriptedModel(options.script ?? ["done"]);
  const open = async (definitions: Definitions): Promise<Runtime> => {
    const runtime = await createRuntime({ ...definitions, env, store, blobs, limits: { closeTimeoutMs: 1 } });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    return runtime;
  };
  const plugins = options.configured === undefined ? (options.plugins ?? []) : createInstalledPlugins();
  const runtime = await open(define(options, model, tools, plugins));
  return {
    env,
    runtime,
    model,
    run: (input = "go") => runtime.runToCompletion({ agent: "agent", threadId: "t1", input }),
    verify: async ({ run }) => {
      const other = await open(define(options, deadModel, tools.map(deadTool), plugins.map(deadPlugin)));
      if (run === undefined) throw new Error("The run never began.");
      return other.replay(run.run_id);
    },
  };
}

function define(
  { agent, configured }: OpenOptions,
  model: LanguageModel,
  tools: readonly Tool[],
  plugins: readonly Plugin[],
): Definitions {
  if (configured === undefined) return { agents: [defineAgent({ ...agent, id: "agent", model, tools, plugins })] };
  const file = {
    agents: [{ id: "agent", model: "m", ...configured }],
    models: { m: { provider: "p", model: "scripted" } },
    providers: { p: {} },
  };
  const createProvider = (id: string) => ({ id, model: () => model });
  return createDefinitions(readConfig(file), { tools, plugins, createProvider, variable: () => undefined });
}

const deadModel: LanguageModel = {
  id: "scripted",
  stream: () => {
    throw new Error("a replay asked a model");
  },
};

function deadTool({ descriptor }: Tool): Tool {
  const touched = (): never => {
    throw new Error("a replay touched a tool");
  };
  return { descriptor, check: touched, needsApproval: touched, execute: touched };
}

/** A plugin with all of its shape and none of its code. */
function deadPlugin(plugin: Plugin): Plugin {
  const asked = (): never => {
    throw new Error("a replay asked a plugin");
  };
  return {
    ...plugin,
    hooks: Object.fromEntries(Object.keys(plugin.hooks).map((phase) => [phase, asked])),
    tools: plugin.tools.map(deadTool),
    effects: Object.fromEntries(Object.keys(plugin.effects).map((key) => [key, asked])),
    // Of each handler its phase is kept, and with it what fits the phase.
    scheduled: Object.fromEntries(
      Object.entries(plugin.scheduled).map(([key, handler]) => [key, { ...handler, handle: asked }]),
    ) as Plugin["scheduled"],
    transforms: [],
  };
}
