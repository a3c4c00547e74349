import type { Changeset, Message, Plugin } from "@reprise/contracts";
import { logCommits } from "../../support/intercept-store.ts";
import { type Bench, createWorld, type OpenOptions, openRuntime } from "../../support/open-runtime.ts";
import { ADD } from "../../support/play-script.ts";
import { countingTool } from "../../support/tools.ts";
import { collect, soon } from "../../support/wait.ts";

/** A runtime whose agent has these plugins and the tool `add`; it calls the tool once and answers "ok". */
export async function openPlugins(plugins: readonly Plugin[], options: OpenOptions = {}) {
  const world = options.world ?? createWorld();
  const { store, changesets } = logCommits(options.store ?? world.store);
  const { tool, keys } = countingTool();
  const agent = { ...options.agent, plugins: [...plugins, ...(options.agent?.plugins ?? [])] };
  const bench = await openRuntime({ script: [[ADD], "ok"], tools: [tool], ...options, world, store, agent });
  return { ...bench, changesets, keys };
}

/** Plays one run on thread t1 until it waits or is done, and gathers what is to be seen of it. */
export async function playPlugins(plugins: readonly Plugin[], options: OpenOptions = {}) {
  const bench = await openPlugins(plugins, options);
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const outcome = await soon(run.outcome(), "the end of the run");
  const events = await collect(run);
  const failure = events.find(({ type }) => type === "error")?.data as
    | { readonly message: string; readonly code?: string }
    | undefined;
  const state = await bench.runtime.threads.state("t1");
  return { ...bench, run, outcome, events, failure, state, messages: await allMessages(bench) };
}

export type Played = Awaited<ReturnType<typeof playPlugins>>;

/** Every message of thread t1, also those that lists do not show. */
export async function allMessages({ tenant }: Pick<Bench, "tenant">): Promise<readonly Message[]> {
  return (await tenant.readMessages("t1", 0)).messages;
}

/** What was committed in a plugin's name. */
export function changesOf(changesets: readonly Changeset[], plugin: string) {
  const source = `plugin:${plugin}`;
  return {
    patches: changesets.flatMap(({ patches }) => patches).filter((patch) => patch.source === source),
    actions: changesets.flatMap(({ actions }) => actions).filter((action) => action.source === source),
  };
}
