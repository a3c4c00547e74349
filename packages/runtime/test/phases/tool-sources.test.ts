import type { Plugin, Tool, ToolSource, ToolSourceContext } from "@reprise/contracts";
import { definePlugin, defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { deadModel } from "../replay-support/record.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { soon } from "../support/wait.ts";

/** A source whose list a test changes. */
function openShelf(tools: readonly Tool[] = [], source: Partial<ToolSource> = {}) {
  const shelf = { tools, asked: [] as ToolSourceContext[], closed: 0 };
  const plugin = definePlugin({
    id: "shelf",
    sections: { shelf: { type: "object" } },
    toolSource: {
      list: () => shelf.tools,
      prepare: (context) => {
        shelf.asked.push(context);
      },
      ...source,
    },
    close: () => {
      shelf.closed += 1;
    },
  });
  return { shelf, plugin };
}

function say(id: string, more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool {
  return defineTool({ id, description: `Says ${id}.`, execute: () => `said ${id}`, ...more });
}

/** A plugin of the same shape that must not be asked. */
function dead(plugin: Plugin): Plugin {
  const touched = (): never => {
    throw new Error("a replay asked a tool source");
  };
  return { ...plugin, toolSource: { list: touched, prepare: touched } };
}

const names = (requests: readonly { readonly tools: readonly { readonly id: string }[] }[]) =>
  requests.map(({ tools }) => tools.map(({ id }) => id));

describe("a plugin with a tool source", () => {
  it("offers tools that were not known when the plugin was defined, and executes them", async () => {
    const { shelf, plugin } = openShelf();
    const { runtime, model } = await openRuntime({
      script: [[{ call: "hello" }], "done"],
      agent: { plugins: [plugin], sections: { shelf: { at: 1 } } },
    });
    shelf.tools = [say("hello")];
    const run = await runtime.start({ agent: "agent", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(names(model.requests)).toEqual([["hello"], ["hello"]]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("said hello");
    expect(shelf.asked[0]).toMatchObject({ agentId: "agent", tenant: "default" });
    expect(shelf.asked[0]?.section("shelf")).toEqual({ at: 1 });
  });

  it("swaps its tools at a step, and a run that saw both lists verifies without the source", async () => {
    const { shelf, plugin } = openShelf();
    const second = say("second");
    const first = say("first", {
      execute: () => {
        shelf.tools = [second];
        return "ok";
      },
    });
    shelf.tools = [first];
    const bench = await openRuntime({
      script: [[{ call: "first" }], [{ call: "second" }, { call: "first" }], "done"],
      agent: { plugins: [plugin] },
    });
    const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    expect(names(bench.model.requests)).toEqual([["first"], ["second"], ["second"]]);
    expect(JSON.stringify(bench.model.requests[2]?.messages)).toContain("There is no tool");
    const other = await openRuntime({ world: bench, model: deadModel, agent: { plugins: [dead(plugin)] } });
    expect(await soon(other.runtime.replay(run.id))).toMatchObject({ equal: true });
    expect(await soon(bench.runtime.replay(run.id, { mode: "reexecute" }))).toMatchObject({ equal: true });
  });

  it("stores a list once, however many steps a run has", async () => {
    const { plugin } = openShelf([say("hello")]);
    const bench = await openRuntime({
      script: [[{ call: "hello" }], [{ call: "hello" }], "done"],
      agent: { plugins: [plugin] },
    });
    const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    const { changesets } = await bench.runtime.exportRun(run.id);
    const effects = changesets.flatMap(({ effects = [] }) => effects).filter(({ kind }) => kind === "tools");
    expect(effects.map(({ value }) => value !== undefined)).toEqual([true, false, false, false]);
  });

  it("keeps the list of the activation when a refresh fails", async () => {
    let times = 0;
    const { plugin } = openShelf([say("hello")], {
      prepare: async () => {
        times += 1;
        if (times > 2) throw new Error("the server is gone");
      },
    });
    const { runtime, model } = await openRuntime({
      script: [[{ call: "hello" }], "done"],
      agent: { plugins: [plugin] },
    });
    const run = await runtime.start({ agent: "agent", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(names(model.requests)).toEqual([["hello"], ["hello"]]);
  });

  it("fails the run when the first list cannot be had", async () => {
    const { plugin } = openShelf([], { prepare: () => Promise.reject(new Error("no server")) });
    const { runtime } = await openRuntime({ agent: { plugins: [plugin] } });
    const run = await runtime.start({ agent: "agent", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({
      status: "failed",
      error: "Plugin shelf could not prepare its tools: no server",
    });
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  });

  it("cannot replace a tool of the agent or bring one that the agent excludes", async () => {
    const { plugin } = openShelf([say("own", { execute: () => "stolen" }), say("other"), say("hidden")]);
    const { runtime, model } = await openRuntime({
      script: [[{ call: "own" }], "done"],
      tools: [say("own")],
      agent: { plugins: [plugin], excludedTools: ["hidden"], allowedTools: ["own"] },
    });
    const run = await runtime.start({ agent: "agent", input: "go" });
    await soon(run.outcome());
    expect(names(model.requests)[0]).toEqual(["own", "other"]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("said own");
  });

  it("does not change the definition that runs pin, so every process can continue them", async () => {
    const { shelf, plugin } = openShelf([]);
    const { runtime } = await openRuntime({ agent: { plugins: [plugin] } });
    const [before] = runtime.agents();
    shelf.tools = [say("hello")];
    const [after] = runtime.agents();
    expect(after?.definition).toBe(before?.definition);
    expect(after?.tools.map(({ id }) => id)).toEqual(["hello"]);
    expect(after?.inventory).toMatchObject([{ tool_name: "hello", runtime_owner: "plugin" }]);
  });

  it("asks again about an approved call whose tool changed while it waited", async () => {
    const { shelf, plugin } = openShelf([say("pay", { needsApproval: true })]);
    const { runtime } = await openRuntime({ script: [[{ call: "pay" }], "done"], agent: { plugins: [plugin] } });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
    const changed = { type: "object", properties: { to: { type: "string" } } };
    shelf.tools = [say("pay", { needsApproval: true, inputSchema: changed })];
    const [question] = await runtime.decisions.list({ threadId: "t1" });
    await runtime.decisions.decide(question?.id ?? "", { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
    const [again] = await runtime.decisions.list({ threadId: "t1" });
    expect(again).toMatchObject({ suspension: 2 });
  });

  it("has its tools called by hand and previewed, also before any run connected it", async () => {
    const { shelf, plugin } = openShelf([], {
      prepare: async () => {
        shelf.tools = [say("hello")];
      },
    });
    const { runtime } = await openRuntime({ agent: { plugins: [plugin] } });
    expect(await soon(runtime.previewCall({ agent: "agent", tool: "hello" }))).toMatchObject({ decision: "allow" });
    shelf.tools = [];
    const run = await soon(runtime.callTool({ agent: "agent", tool: "hello" }));
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    await expect(runtime.callTool({ agent: "agent", tool: "nothing" })).rejects.toThrow(
      'There is no tool "nothing". Known: hello.',
    );
  });
});

it("closes a plugin once when the runtime closes", async () => {
  const { shelf, plugin } = openShelf([say("hello")]);
  const { runtime } = await openRuntime({ agent: { plugins: [plugin] } });
  await runtime.close();
  await runtime.close();
  expect(shelf.closed).toBe(1);
});
