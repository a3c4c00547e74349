import type { PhaseContext, Plugin } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { createRuntime, defineAgent, definePlugin, defineTool, type Runtime } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";

export const PLUGINS = 20;
export const STEPS = 20;
export const CALLS = 5;
/** How often a run comes to a phase: four in a step and one more step for the answer, two around a call, two of the run. */
export const PHASES_A_RUN = 4 * (STEPS + 1) + 2 * STEPS * CALLS + 2;

/** Plugins of an agent whose runs are measured. */
export interface Case {
  readonly name: string;
  /** What each of the plugins does in every phase; absent for plugins that hook nothing. */
  readonly hook?: (context: PhaseContext) => readonly never[] | undefined | Promise<undefined>;
  readonly plugins: number;
}

const tally = defineState({
  path: "tally",
  initial: () => ({ count: 0 }),
  actions: { set: (_, count: number) => ({ count }) },
});

export const BASELINE: Case = { name: "no plugins", plugins: 0 };
export const UNHOOKED: Case = { name: `${PLUGINS} plugins that hook nothing`, plugins: PLUGINS };
export const HOOKED: readonly Case[] = [
  { name: "returns nothing", plugins: PLUGINS, hook: () => undefined },
  { name: "returns an empty list", plugins: PLUGINS, hook: () => [] },
  {
    name: "looks at the step and at a state",
    plugins: PLUGINS,
    hook: ({ step, state }) => (state.get(tally).count > step ? [] : undefined),
  },
  { name: "is asynchronous", plugins: PLUGINS, hook: async () => undefined },
];

export interface OpenCase {
  readonly runtime: Runtime;
  /** How often a hook was asked so far. */
  readonly asked: () => number;
}

/** A fresh runtime for one sample, so that what a run leaves behind burdens no other. */
export async function openCase({ plugins, hook }: Case): Promise<OpenCase> {
  let asked = 0;
  const count = (asking: NonNullable<Case["hook"]>) => (context: PhaseContext) => {
    asked++;
    return asking(context);
  };
  const counted = hook === undefined ? undefined : count(hook);
  const env = createNodeEnv();
  const tools = Array.from({ length: CALLS }, (_, index) => makeTool(`tool_${index}`));
  const calls = tools.map(({ descriptor }) => ({ call: descriptor.id }));
  const agent = defineAgent({
    id: "agent",
    model: scriptedModel((_, turn) => ((turn - 1) % (STEPS + 1) < STEPS ? calls : "done")),
    tools,
    plugins: Array.from({ length: plugins }, (_, index) => makePlugin(`plugin_${index}`, counted)),
    maxRounds: STEPS + 1,
  });
  const runtime = await createRuntime({
    agents: [agent],
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
  });
  return { runtime, asked: () => asked };
}

function makePlugin(id: string, hook: Case["hook"] | undefined): Plugin {
  if (hook === undefined) return definePlugin({ id });
  const hooks = {
    runStart: hook,
    stepStart: hook,
    beforeInference: hook,
    afterInference: hook,
    stepEnd: hook,
    beforeToolExecute: hook,
    afterToolExecute: hook,
    runEnd: hook,
  };
  return definePlugin({ id, hooks });
}

function makeTool(id: string) {
  return defineTool({ id, description: id, class: "read_only", execute: () => id });
}
