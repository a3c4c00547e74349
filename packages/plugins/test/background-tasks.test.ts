import { type Message, type Tool, type ToolContext, textOf } from "@reprise/contracts";
import { type Script, type ScriptedModel, scriptedModel } from "@reprise/models";
import { agentTools } from "@reprise/plugins/agent-tools";
import { backgroundTasks, taskState } from "@reprise/plugins/background-tasks";
import { permission } from "@reprise/plugins/permission";
import {
  type AgentDefinition,
  createRuntime,
  defineAgent,
  defineTool,
  type Limits,
  type Runtime,
} from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, eventually } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAgent } from "./support/open-agent.ts";

/** A tool that changes something, and ends when the test says so or its run is cancelled. */
function createBuild(more: { readonly needsApproval?: boolean; readonly class?: "read_only" } = {}) {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<string>();
  let count = 0;
  const build = defineTool({
    id: "build",
    description: "Builds.",
    inputSchema: {
      type: "object",
      properties: { target: { type: "string" } },
      required: ["target"],
      additionalProperties: false,
    },
    ...more,
    async execute({ target }: { readonly target: string }, { signal }) {
      count++;
      begun.resolve();
      signal.addEventListener("abort", () => released.reject(signal.reason), { once: true });
      const answer = await released.promise;
      if (answer === "fail") throw new Error("The disk is full.");
      return { target, answer };
    },
  });
  return { build, begun: begun.promise, release: released.resolve, count: () => count };
}

const note = defineTool({ id: "note", description: "Changes something.", execute: () => "noted" });

async function open({
  script,
  tools,
  agent = {},
  limits = {},
}: {
  script: Script;
  tools: readonly Tool[];
  agent?: Partial<AgentDefinition>;
  limits?: Partial<Limits>;
}) {
  const env = createFakeEnv();
  const blobs = createMemoryBlobStore(env);
  const model = scriptedModel(script, "agent");
  const runtime: Runtime = await createRuntime({
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs,
    agents: [
      defineAgent({ id: "agent", model, tools, plugins: [backgroundTasks({ tools: ["build"] })], ...agent }),
      defineAgent({ id: "writer", model: scriptedModel(() => "a text") }),
    ],
    limits: { closeTimeoutMs: 1, ...limits },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, model, blobs, start: () => runtime.start({ agent: "agent", threadId: "t1", input: "go" }) };
}

const BUILD = { call: "build", arguments: { target: "all", run_in_background: true } } as const;

function toolResults(messages: readonly Message[]): Record<string, unknown>[] {
  return messages.filter(({ role }) => role === "tool").map((message) => JSON.parse(textOf(message)));
}

function notices({ requests }: ScriptedModel): readonly string[] {
  return (
    requests
      .at(-1)
      ?.messages.map(textOf)
      .filter((text) => text.startsWith("<task ")) ?? []
  );
}

async function tasksOf(runtime: Runtime) {
  return Object.values(taskState.read((await runtime.threads.state("t1")) ?? {}).tasks);
}

describe("a call in the background", () => {
  it("returns a task at once, tells the thread once when it is over, and its result can be read", async () => {
    const { build, release } = createBuild();
    const { runtime, model, start } = await open({
      script: ({ messages }) => {
        const results = toolResults(messages);
        if (results.length === 0) return [BUILD];
        const isTold = messages.some((message) => textOf(message).startsWith("<task "));
        const task_id = results[0]?.task_id;
        if (isTold && results.length === 1) return [{ call: "task_output", arguments: { task_id } }];
        return isTold ? "built" : "I wait.";
      },
      tools: [build],
    });
    const run = await start();
    expect(await run.outcome()).toMatchObject({ status: "done", text: "I wait." });
    const [{ task_id } = {}] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(task_id).toMatch(/^bg_[0-9a-f]{32}$/);
    expect(textOf(model.requests.at(-1)?.messages.at(-1) ?? { content: "" })).toContain(
      `<background_task task_id="${task_id}" tool="build" status="running"/>`,
    );
    release("done");
    await eventually(async () => expect(await tasksOf(runtime)).toEqual([{ tool: "build", status: "completed" }]));
    await eventually(async () => {
      const { items } = await runtime.runs({ threadId: "t1" });
      expect(items.every(({ status }) => status === "done")).toBe(true);
      expect(items).toHaveLength(2);
    });
    expect(notices(model)).toEqual([expect.stringContaining(`Task ${task_id}, a call of build, is over: completed.`)]);
    expect(notices(model)[0]).toContain('{"target":"all","answer":"done"}');
    expect(toolResults(model.requests.at(-1)?.messages ?? []).at(-1)).toEqual({
      task_id,
      tool: "build",
      status: "completed",
      error: null,
      output: { target: "all", answer: "done" },
      attempt: 1,
      supports_resume: false,
      parent_task_id: null,
      result_ref: null,
    });
    for (const { run_id } of (await runtime.runs({ limit: 10 })).items)
      expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
    expect((await runtime.run(String(task_id))).threadId).toBe(`task:${task_id}`);
  });

  it("keeps the run that started it from no change of its own", async () => {
    const { build, begun, release } = createBuild();
    const wait = defineTool({
      id: "wait",
      description: "Waits.",
      class: "read_only",
      execute: () => begun.then(() => "begun"),
    });
    const { model, start } = await open({
      script: [[BUILD], [{ call: "wait" }], [{ call: "note" }], "noted", "ok"],
      tools: [build, note, wait],
    });
    expect(await (await start()).outcome()).toMatchObject({ status: "done", text: "noted" });
    expect(textOf(model.requests[3]?.messages.findLast(({ role }) => role === "tool") ?? { content: "" })).toBe(
      "noted",
    );
    release("done");
  });

  it("runs beside others of one turn, also when the tool only reads", async () => {
    const { build, release, count } = createBuild({ class: "read_only" });
    const { runtime, start } = await open({ script: [[BUILD, BUILD], "started", "ok", "ok"], tools: [build] });
    const run = await start();
    expect(await run.outcome()).toMatchObject({ status: "done", text: "started" });
    await eventually(() => expect(count()).toBe(2));
    release("done");
    await eventually(async () =>
      expect(await tasksOf(runtime)).toMatchObject([{ status: "completed" }, { status: "completed" }]),
    );
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("is asked about once, when its run makes the call", async () => {
    const { build, release } = createBuild({ needsApproval: true });
    const { runtime, model, start } = await open({ script: [[BUILD], "started", "built"], tools: [build] });
    expect(await (await start()).outcome()).toMatchObject({ status: "done", text: "started" });
    const open_ = await eventually(async () => {
      const [question, ...more] = await runtime.decisions.list();
      expect(more).toEqual([]);
      expect(question).toMatchObject({ tool_id: "build" });
      return question;
    });
    release("done");
    await runtime.decisions.decide(open_?.id ?? "", { action: "approve" });
    await eventually(() => expect(notices(model)).toEqual([expect.stringContaining("is over: completed.")]));
  });

  it("fails as the call fails", async () => {
    const { build, release } = createBuild();
    release("fail");
    const { runtime, model, start } = await open({ script: [[BUILD], "started", "oh"], tools: [build] });
    await (await start()).outcome();
    await eventually(() => expect(notices(model)).toEqual([expect.stringContaining("is over: failed.")]));
    await eventually(async () =>
      expect(await tasksOf(runtime)).toEqual([
        { tool: "build", status: "failed", error: expect.stringContaining("The disk is full.") },
      ]),
    );
  });

  it("is refused for arguments that the tool does not take, before any task is started", async () => {
    const { build } = createBuild();
    const wrong = { call: "build", arguments: { targets: "all", run_in_background: true } };
    const odd = { call: "build", arguments: { target: "all", run_in_background: "yes" } };
    const { runtime, model, start } = await open({ script: [[wrong, odd], "ok"], tools: [build] });
    await (await start()).outcome();
    expect(toolResults(model.requests.at(-1)?.messages ?? [])).toMatchObject([
      { error: { code: "invalid_arguments" } },
      { error: { code: "invalid_arguments" } },
    ]);
    expect((await runtime.runs()).items).toHaveLength(1);
  });

  it("obeys the rules of the plugin permission, which can let it start without a question and ask about the call", async () => {
    const { build, release } = createBuild();
    release("done");
    const rules = [{ tool: 'build(run_in_background = "true")', behavior: "allow" as const }];
    const plugins = [backgroundTasks({ tools: ["build"] }), permission({ rules })];
    const { runtime, start } = await open({
      script: [[BUILD], "started", "built"],
      tools: [build],
      agent: { plugins },
    });
    expect(await (await start()).outcome()).toMatchObject({ status: "done", text: "started" });
    await eventually(async () =>
      expect(await runtime.decisions.list()).toMatchObject([{ tool_id: "build", arguments: { target: "all" } }]),
    );
  });
});

describe("task_cancel", () => {
  it("cancels the task, which then says so", async () => {
    const { build, begun } = createBuild();
    const wait = defineTool({
      id: "wait",
      description: "Waits.",
      class: "read_only",
      execute: () => begun.then(() => "begun"),
    });
    const { runtime, model, start } = await open({
      script: ({ messages }, turn) => {
        const task_id = toolResults(messages.filter((message) => textOf(message).startsWith("{")))[0]?.task_id;
        if (turn === 1) return [BUILD];
        if (turn === 2) return [{ call: "wait" }];
        return turn === 3
          ? [
              { call: "task_cancel", arguments: { task_id } },
              { call: "task_cancel", arguments: { task_id } },
            ]
          : "ok";
      },
      tools: [build, wait],
    });
    await (await start()).outcome();
    const results = model.requests[3]?.messages.filter(({ role }) => role === "tool").slice(2) ?? [];
    expect(toolResults(results)[0]).toEqual({ cancelled_ids: [expect.stringMatching(/^bg_/)], count: 1 });
    await eventually(async () => {
      const { items } = await runtime.runs({ limit: 10 });
      const task = items.find(({ run_id }) => run_id.startsWith("bg_"));
      expect(task).toMatchObject({ status: "done", termination_code: "cancelled" });
    });
    await eventually(async () => expect(await tasksOf(runtime)).toMatchObject([{ status: "stopped" }]));
  });
});

it("is cancelled with the run that started it", async () => {
  const { build, begun } = createBuild();
  const stuck = defineTool({
    id: "stuck",
    description: "Waits for ever.",
    class: "read_only",
    execute: (_, { signal }) =>
      new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const { runtime, start } = await open({ script: [[BUILD], [{ call: "stuck" }]], tools: [build, stuck] });
  const run = await start();
  await begun;
  await run.cancel();
  expect(await run.outcome()).toMatchObject({ status: "cancelled" });
  await eventually(async () => {
    const { items } = await runtime.runs({ limit: 10 });
    expect(items.map(({ termination_code }) => termination_code)).toEqual(["cancelled", "cancelled"]);
  });
});

it("knows the tasks of its own thread alone, and no runs of agents", async () => {
  const { build, release } = createBuild();
  release("done");
  let forged: readonly unknown[] = [];
  const plugins = [backgroundTasks({ tools: ["build"] }), agentTools()];
  const asked = (id: unknown) => [
    ...["task_status", "task_cancel", "task_output"].map((call) => ({ call, arguments: { task_id: String(id) } })),
    ...["agent_run", "agent_stop", "agent_output"].map((call) => ({ call, arguments: { run_id: String(id) } })),
  ];
  const { runtime, model, start } = await open({
    script: ({ messages }) => {
      const said = textOf(messages.find(({ role }) => role === "user") ?? { content: "" });
      if (messages.some(({ role }) => role === "tool")) return "ok";
      if (said === "go") return [BUILD, { call: "agent_run", arguments: { agent_id: "writer", prompt: "x" } }];
      return said === "forge" ? forged.flatMap(asked) : "ok";
    },
    tools: [build],
    agent: { plugins },
  });
  await (await start()).outcome();
  const [task, child] = toolResults(model.requests[1]?.messages ?? []);
  forged = [task?.task_id, "__proto__", "bg_"];
  await runtime.runToCompletion({ agent: "agent", threadId: "other", input: "forge" });
  const codes = toolResults(model.requests.at(-1)?.messages ?? []).map(({ error }) => (error as { code: string }).code);
  expect(new Set(codes)).toEqual(new Set(["unknown_task", "unknown_run"]));
  // On its own thread a task is no run of an agent, and a run of an agent is no task.
  const mixed = [
    { call: "agent_output", arguments: { run_id: task?.task_id } },
    { call: "task_output", arguments: { task_id: child?.run_id } },
  ];
  expect(child).toMatchObject({ status: "completed", output: "a text" });
  for (const { call, arguments: given } of mixed) {
    const run = await runtime.callTool({ agent: "agent", tool: call, threadId: "t1", arguments: given as never });
    const events = await Array.fromAsync(run.events());
    expect(JSON.stringify(events.find(({ type }) => type === "tool_call_done"))).toMatch(/"unknown_(run|task)"/);
  }
});

it("hides its tools while no tool may run in the background", async () => {
  const { model, start } = await open({ script: ["ok"], tools: [note] });
  await (await start()).outcome();
  expect(model.requests[0]?.tools.map(({ id }) => id)).toEqual(["note"]);
});

it("takes the tools of a configuration file and those that declare it, and leaves others alone", async () => {
  const declared = defineTool({
    id: "declared",
    description: "Says so itself.",
    capabilities: ["background"],
    execute: () => "done",
  });
  const { build } = createBuild();
  const bench = await openAgent({
    script: ["ok"],
    tools: [build, declared, note],
    configured: { plugin_ids: ["background_tasks"], sections: { background_tasks: { tools: ["bu*"] } } },
  });
  await bench.run();
  const parameters = bench.model.requests[0]?.tools.map(({ id, parameters: { properties } }) => [
    id,
    Object.keys((properties ?? {}) as object).includes("run_in_background"),
  ]);
  expect(Object.fromEntries(parameters ?? [])).toMatchObject({
    build: true,
    declared: true,
    note: false,
    task_status: false,
  });
});

it.each([["build(x)"], ["/(/"], [""]])("refuses %j as the name of a tool", (tool) => {
  expect(() => backgroundTasks({ tools: [tool] })).toThrow(/background_tasks has an invalid option/);
});

it("has the start of a task repeated after a crash, and any other call as its tool says", () => {
  const { build } = createBuild();
  const view = { agentId: "agent", agentSpec: defineAgent({ id: "agent", model: "m" }).spec, section: () => undefined };
  const wrap = (tool: Tool) => backgroundTasks({ tools: ["build"] }).wrapTool?.(tool, view);
  const asked = (tool: Tool) => [BUILD.arguments, { target: "all" }].map((given) => wrap(tool)?.mayRepeat?.(given));
  expect(asked(build)).toEqual([true, false]);
  expect(asked({ ...build, mayRepeat: () => true })).toEqual([true, true]);
});

/** What the one call of a run by hand returned. */
async function callByHand(runtime: Runtime, tool: string, threadId: string, task_id: string): Promise<unknown> {
  const run = await runtime.callTool({ agent: "agent", tool, threadId, arguments: { task_id } });
  const events = await Array.fromAsync(run.events());
  return events.flatMap((event) => (event.type === "tool_call_done" ? [event.data.result.data] : []))[0];
}

it("names the task that a task was started by", async () => {
  const { build, release } = createBuild();
  release("done");
  const spawn = defineTool({
    id: "spawn",
    description: "Has the build run in the background.",
    inputSchema: { type: "object" },
    idempotent: true,
    execute: async (_, { runs }) => (await runs.startCall({ toolId: "build", arguments: { target: "all" } })).runId,
  });
  const { runtime, model, start } = await open({
    script: ({ messages }) =>
      messages.some(({ role }) => role === "tool") ? "ok" : [{ call: "spawn", arguments: { run_in_background: true } }],
    tools: [build, spawn],
    agent: { plugins: [backgroundTasks({ tools: ["spawn", "build"] })] },
  });
  await (await start()).outcome();
  const [{ task_id: outer } = {}] = toolResults(model.requests[1]?.messages ?? []);
  const inner = await eventually(async () => {
    const [run] = (await runtime.runs({ parentRunId: String(outer) })).items;
    expect(run?.status).toBe("done");
    return run?.run_id ?? "";
  });
  const told = await callByHand(runtime, "task_status", `task:${outer}`, inner);
  expect(told).toMatchObject({ task_id: inner, tool: "build", status: "completed", parent_task_id: outer });
  // It is a task of the thread that started it, and of no other.
  expect(await callByHand(runtime, "task_status", "t1", inner)).toMatchObject({ error: { code: "unknown_task" } });
  const above = await callByHand(runtime, "task_status", "t1", String(outer));
  expect(above).toMatchObject({ task_id: outer, parent_task_id: null });
});

it("refers to the whole of a result that is too large for the conversation", async () => {
  const text = "rain ".repeat(2_000);
  const build = defineTool({
    id: "build",
    description: "Writes.",
    inputSchema: { type: "object" },
    execute: () => text,
  });
  const { runtime, model, start, blobs } = await open({
    script: ({ messages }) => (messages.some(({ role }) => role === "tool") ? "ok" : [BUILD]),
    tools: [build],
    limits: { maxOutputBytes: 4_000 },
  });
  await (await start()).outcome();
  const [{ task_id } = {}] = toolResults(model.requests[1]?.messages ?? []);
  await eventually(async () => expect(await tasksOf(runtime)).toMatchObject([{ status: "completed" }]));
  const told = await callByHand(runtime, "task_output", "t1", String(task_id));
  expect(told).toMatchObject({ status: "completed", result_ref: expect.any(String) });
  const { result_ref: ref, output } = told as { readonly result_ref: string; readonly output: JsonObject };
  expect(output).toMatchObject({ truncated: true, ref });
  const whole = await blobs.get("default", ref);
  expect(JSON.parse(new TextDecoder().decode(whole?.content))).toBe(text);
});

describe("where tool calls are limited, a call in the background", () => {
  const budgetOf = async (limitToolCalls: number, script: Script, tools: readonly Tool[]) => {
    const opened = await open({ script, tools });
    const request = { agent: "agent", threadId: "t1", input: "go", budget: { limitToolCalls } } as const;
    const run = await opened.runtime.start(request);
    await run.outcome();
    await eventually(async () => {
      for (const task of (await opened.runtime.runs()).items) expect(task.status).toBe("done");
    });
    return { ...opened, spent: (await opened.runtime.budgets.get(run.id)).spent.tool_calls ?? 0 };
  };
  const echo = defineTool({ id: "build", description: "Builds.", inputSchema: { type: "object" }, execute: () => 1 });

  it("counts once, and the next one is refused when it would be started", async () => {
    const { runtime, model, spent } = await budgetOf(2, [[BUILD, BUILD], [BUILD], "ok"], [echo]);
    expect(spent).toBe(2);
    const [, , refused] = toolResults(model.requests[2]?.messages ?? []);
    expect(refused).toMatchObject({
      error: { code: "denied", message: expect.stringContaining("limit of 2 tool calls") },
    });
    const tasks = (await runtime.runs()).items.filter(({ policy }) => policy?.by_hand !== undefined);
    expect(tasks).toHaveLength(2);
    const calls = (await Promise.all(tasks.map(({ run_id }) => runtime.calls({ runId: run_id })))).flatMap(
      ({ items }) => items,
    );
    expect(calls).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
    for (const { run_id } of (await runtime.runs()).items)
      expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
  });

  it("of another tool than the one that starts it counts as well", async () => {
    const starter = defineTool({
      id: "start",
      description: "Starts two.",
      inputSchema: { type: "object" },
      idempotent: true,
      recursive: true,
      execute: async (_, { runs }) => {
        for (const key of ["one", "two"]) await runs.startCall({ toolId: "build", arguments: {}, key });
        return "started";
      },
    });
    const { spent } = await budgetOf(10, [[{ call: "start", arguments: {} }], "ok"], [echo, starter]);
    expect(spent).toBe(3);
  });
});

describe("outside of a run", () => {
  // A host that executes tools by itself has no such context.
  const outside = {} as ToolContext;
  const refused = { status: "error", data: { error: { code: "missing_scope" } } };

  it.each(["task_status", "task_cancel", "task_output"])("%s says that it has no run to work for", async (id) => {
    const tool = backgroundTasks().tools.find(({ descriptor }) => descriptor.id === id);
    expect(await tool?.execute({ task_id: "bg_1" }, outside)).toMatchObject(refused);
    expect(await tool?.execute({}, outside)).toMatchObject(refused);
  });

  it("a call in the background does as well, and any other call works", async () => {
    const add = defineTool({ id: "add", description: "Adds.", inputSchema: { type: "object" }, execute: () => 3 });
    const { spec: agentSpec } = defineAgent({ id: "agent", model: "m" });
    const view = { agentId: "agent", agentSpec, section: () => undefined };
    const tool = backgroundTasks({ tools: ["add"] }).wrapTool?.(add, view);
    const execute = async (given: JsonObject) => {
      const checked = await tool?.check(given);
      return checked?.ok === true ? tool?.execute(checked.input, outside) : checked;
    };
    expect(await execute({ run_in_background: true })).toMatchObject(refused);
    expect(await execute({})).toBe(3);
  });
});
