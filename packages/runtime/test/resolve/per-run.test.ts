import type { ExecutionBackend, Plugin } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import {
  createRegistryBuilder,
  createRuntime,
  defineAgent,
  definePlugin,
  defineTool,
  type Runtime,
  stopPolicyOf,
} from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { Agents } from "../../src/resolve/agents.ts";
import { createWorld } from "../support/open-runtime.ts";
import { soon } from "../support/wait.ts";
import { builder, env } from "./support/world.ts";

const look = defineTool({ id: "look", description: "Looks.", class: "read_only", execute: () => "nothing" });

describe("issue 14.14: what is made for each run", () => {
  it("is an InstalledPlugins of its own; the model, the tools and the definition are kept", () => {
    const counting = definePlugin({ id: "p", hooks: { stepStart: () => [] } });
    const building = builder()
      .withTool(look)
      .withPlugin(counting)
      .withAgent({ id: "a", model: "m", plugin_ids: ["p"] });
    const agents = new Agents(building.build(), env);
    const [first, second] = [agents.planRun("a"), agents.planRun("a")];
    if (first.kind !== "local" || second.kind !== "local") throw new Error("both run here");
    expect(first.agent.installed).not.toBe(second.agent.installed);
    expect(first.agent.installed).toEqual(second.agent.installed);
    expect(first.agent.installed.hooks).not.toBe(second.agent.installed.hooks);
    expect(first.agent.tools).toBe(second.agent.tools);
    expect(first.agent.model).toBe(second.agent.model);
    expect(first.agent.definition).toBe(second.agent.definition);
  });

  it("are the plugins of a context policy, which may keep what concerns one run", async () => {
    const made: string[][] = [];
    const contextPlugins = (): readonly Plugin[] => {
      const seen: string[] = [];
      made.push(seen);
      const summarise = defineTool({ id: "summarise", description: "Sums up.", execute: () => seen.length });
      return [
        definePlugin({
          id: "window",
          tools: [summarise],
          hooks: { beforeInference: ({ runId: run_id }) => void seen.push(run_id) },
        }),
      ];
    };
    const script = () => [{ text: "ok" }] as const;
    const agent = defineAgent({ id: "a", model: scriptedModel(script), contextPolicy: {} });
    const runtime = await createRuntime({
      ...createWorld(),
      agents: [agent],
      contextPlugins,
      limits: { closeTimeoutMs: 1 },
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    const ids: string[] = [];
    for (const threadId of ["t1", "t2"]) {
      const run = await runtime.start({ agent: "a", threadId, input: "go" });
      await soon(run.outcome());
      ids.push(run.id);
    }
    expect(made.filter((seen) => seen.length > 0)).toEqual(ids.map((id) => [id]));
    const [first] = ids;
    expect(await soon(runtime.replay(first ?? ""))).toMatchObject({ equal: true });
    const records = (await runtime.runs()).items;
    expect(new Set(records.map(({ definition }) => definition)).size).toBe(1);
  });
});

describe("issue 14.14: an agent that is added to a running runtime", () => {
  async function open() {
    const runtime = await createRuntime({
      ...createWorld(),
      agents: [defineAgent({ id: "first", model: "m" })],
      models: [scriptedModel(() => "hello", "m")],
      tools: [look],
      limits: { closeTimeoutMs: 1 },
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    return runtime;
  }

  it("runs with what the runtime knows and what it brings, and the others stay as they are", async () => {
    const runtime = await open();
    const [before] = runtime.agents();
    for (const id of ["second", "third"]) {
      const stop = stopPolicyOf({ type: "max_rounds", rounds: 3 });
      runtime.addAgent(
        defineAgent({ id, model: "m", allowedTools: ["look"], stopWhen: [{ ...stop, id: `stop-${id}` }] }),
      );
    }
    expect(runtime.agents().map(({ id }) => id)).toEqual(["first", "second", "third"]);
    expect(runtime.agents()[0]).toEqual(before);
    const wider: Runtime = runtime;
    for (const agent of ["first", "second", "third"]) {
      expect(await soon(wider.runToCompletion({ agent, input: "go" }))).toMatchObject({
        status: "done",
        text: "hello",
      });
    }
    runtime.redefine({ agents: [defineAgent({ id: "other", model: scriptedModel(["ok"]) })] });
    expect(runtime.agents().map(({ id }) => id)).toEqual(["other"]);
  });

  it("is refused whole when its id is taken or it cannot be resolved", async () => {
    const runtime = await open();
    const add = (agent: Parameters<typeof defineAgent>[0]) => () => runtime.addAgent(defineAgent(agent));
    expect(add({ id: "first", model: "m" })).toThrow(expect.objectContaining({ code: "REGISTRY_CONFLICT" }));
    expect(add({ id: "second", model: "nowhere" })).toThrow(expect.objectContaining({ code: "MODEL_NOT_FOUND" }));
    expect(runtime.agents().map(({ id }) => id)).toEqual(["first"]);
    runtime.addAgent(defineAgent({ id: "second", model: "m" }));
  });
});

describe("issue 14.14: buildUnchecked with remote sources", () => {
  it("has the agents that are here at once, and those elsewhere when they were discovered", async () => {
    const backend: ExecutionBackend = {
      id: "a2a",
      check: () => undefined,
      run: async () => ({ termination: { type: "natural_end" }, text: "From afar." }),
    };
    let known: readonly unknown[] = [{ id: "far", endpoint: "https://far.test" }];
    const registries = createRegistryBuilder()
      .withBackend(backend)
      .withModel(scriptedModel(() => "Here.", "m"))
      .withAgent({ id: "here", model: "m" })
      .withRemoteAgents({ id: "source", discover: async () => known })
      .buildUnchecked();
    expect(registries.agents.ids()).toEqual(["here"]);
    const runtime = await createRuntime({ ...createWorld(), registries, limits: { closeTimeoutMs: 1 } });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    await expect(runtime.start({ agent: "far", input: "go" })).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
    await registries.discover?.();
    expect(await soon(runtime.runToCompletion({ agent: "far", input: "go" }))).toMatchObject({ text: "From afar." });
    known = [...known, { id: "further", endpoint: "https://further.test" }];
    await registries.discover?.();
    expect(runtime.agents().map(({ id }) => id)).toEqual(["here", "far", "further"]);
  });
});
