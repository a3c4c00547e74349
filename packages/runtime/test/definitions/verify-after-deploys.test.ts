import { addSessionContext, blockCall, changeState, excludeTool, type Plugin } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import {
  createRegistryBuilder,
  createRuntime,
  defineAgent,
  definePlugin,
  defineTool,
  type Runtime,
} from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { deadModel } from "../replay-support/record.ts";
import { createWorld, openRuntime, type World } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { soon } from "../support/wait.ts";

const log = defineState({
  path: "log",
  initial: (): string[] => [],
  actions: { add: (list, line: string) => [...list, line] },
});

const noting = definePlugin({
  id: "noting",
  states: [log],
  hooks: {
    stepStart: ({ step }) => [changeState(log.add(`step ${step}`))],
    beforeInference: () => [addSessionContext("It rains.")],
  },
});

const { tool: add } = countingTool({ version: "1", needsApproval: true });
const look = defineTool({
  id: "look",
  description: "Looks.",
  class: "read_only",
  inputSchema: z.object({}),
  execute: () => ({ seen: "rain" }),
});

const SCRIPT = [
  [{ text: "Well. " }, { call: "look" }, { call: "look" }, { call: "add", arguments: { title: "x" } }],
  [{ call: "add", arguments: { title: "y" } }],
  "done",
] as const;

/** A run with parallel calls, two approvals, a plugin with state, and a second one that was cancelled. */
async function recordRuns(world: World): Promise<readonly string[]> {
  const { runtime } = await openRuntime({ world, script: SCRIPT, tools: [add, look], agent: { plugins: [noting] } });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  for (const verb of [{ action: "edit", arguments: { title: "edited" } }, { action: "approve" }] as const) {
    await soon(run.outcome());
    const [open] = await runtime.decisions.list();
    await runtime.decisions.decide(open?.id ?? "", verb);
  }
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "done" });
  await runtime.close();
  const second = await openRuntime({ world, script: SCRIPT, tools: [add, look], agent: { plugins: [noting] } });
  const cancelled = await second.runtime.start({ agent: "agent", threadId: "t1", input: "again" });
  await soon(cancelled.outcome());
  await cancelled.cancel("enough");
  await soon(cancelled.outcome());
  await second.runtime.close();
  return [run.id, cancelled.id];
}

/** Everything it could do to a run is different, or fails. */
const hostile: Plugin = definePlugin({
  id: "hostile",
  hooks: {
    runStart: () => Promise.reject(new Error("no run may start")),
    beforeInference: () => [addSessionContext("Be rude."), excludeTool("look")],
    beforeToolExecute: () => [blockCall("Never.")],
  },
});

const changedTool = countingTool({ version: "2", inputSchema: z.object({ title: z.string().min(99) }) }).tool;

const DEPLOYS: Readonly<Record<string, (world: World) => Promise<Runtime>>> = {
  "another version of a tool": open({ tools: [changedTool, look], plugins: [noting] }),
  "a tool removed": open({ tools: [look], plugins: [noting] }),
  "all tools removed": open({ tools: [], plugins: [noting] }),
  "a plugin removed": open({ tools: [add, look], plugins: [] }),
  "a plugin added": open({ tools: [add, look], plugins: [noting, hostile] }),
  "other instructions and another model": open({
    tools: [add, look],
    plugins: [noting],
    instructions: "Be brief.",
    model: scriptedModel(["other"]),
  }),
  "the agent removed": open({ id: "another", tools: [add, look], plugins: [noting] }),
  "an agent of that name that runs elsewhere": openElsewhere,
  "no agent at all": (world) => createRuntime({ ...world, agents: [] }),
};

interface Deployed extends Partial<Omit<Parameters<typeof defineAgent>[0], "id">> {
  readonly id?: string;
}

function open(agent: Deployed): (world: World) => Promise<Runtime> {
  return (world) => createRuntime({ ...world, agents: [defineAgent({ id: "agent", model: deadModel, ...agent })] });
}

function openElsewhere(world: World): Promise<Runtime> {
  const backend = {
    id: "a2a",
    check: () => undefined,
    run: () => Promise.reject(new Error("a replay asked a backend")),
  };
  const spec = { id: "agent", endpoint: "https://far.test" };
  return createRuntime({ ...world, registries: createRegistryBuilder().withBackend(backend).withAgent(spec).build() });
}

describe("issue 14.31: a finished run is verified after a deploy with", () => {
  it.each(Object.keys(DEPLOYS))("%s", async (deploy) => {
    const world = createWorld();
    const runs = await recordRuns(world);
    const runtime = await (DEPLOYS[deploy] ?? open({}))(world);
    const before = await runtime.runs({ threadId: "t1" });
    for (const id of runs) {
      expect(await soon(runtime.replay(id))).toMatchObject({ run_id: id, mode: "verify", equal: true });
    }
    expect(await runtime.runs({ threadId: "t1" }), "nothing was touched").toEqual(before);
    await runtime.close();
  });
});
