import { RepriseError, type Store, type TenantStore, type Tool, type ToolContext, textOf } from "@reprise/contracts";
import { type Script, type ScriptedModel, scriptedModel } from "@reprise/models";
import { agentTools, subAgents } from "@reprise/plugins/agent-tools";
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

interface Team {
  readonly script: Script;
  readonly lead?: Partial<AgentDefinition>;
  readonly writer?: Script;
  /** The tool of the writer. */
  readonly ask?: Tool;
  readonly limits?: Partial<Limits>;
  readonly arrange?: (store: Store) => Store;
}

async function openTeam({ script, lead = {}, writer = () => "a text", ask = approved, limits, arrange }: Team) {
  const env = createFakeEnv();
  const models = { lead: scriptedModel(script, "lead"), writer: scriptedModel(writer, "writer") };
  const runtime: Runtime = await createRuntime({
    env,
    store: arrange?.(createMemoryStore({ clock: env.clock })) ?? createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    agents: [
      defineAgent({ id: "lead", model: models.lead, plugins: [agentTools()], ...lead }),
      defineAgent({ id: "writer", description: "Writes <b>texts</b>.", model: models.writer, tools: [ask] }),
      defineAgent({ id: "critic", description: "Reads texts.", model: scriptedModel(() => "fine") }),
    ],
    limits: { closeTimeoutMs: 1, ...limits },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const run = (input = "go") => runtime.runToCompletion({ agent: "lead", threadId: "t1", input });
  return { runtime, run, ...models };
}

const approved = defineTool({
  id: "ask",
  description: "Needs a yes.",
  inputSchema: { type: "object" },
  needsApproval: true,
  execute: () => "asked",
});

/** A store at which as many calls have to start their runs at the same time, or none of them does. */
function meetAtTree(store: Store, calls: number): Store {
  const all = Promise.withResolvers<void>();
  let arrived = 0;
  const arrive = async (kind: string): Promise<void> => {
    if (kind !== "run-tree") return;
    if (++arrived === calls) all.resolve();
    await all.promise;
  };
  const meet = (own: TenantStore): TenantStore => ({
    ...own,
    loadDocument: async (kind, id) => {
      await arrive(kind);
      return own.loadDocument(kind, id);
    },
  });
  return { ...store, forTenant: (tenant) => meet(store.forTenant(tenant)) };
}

const WRITE = { call: "agent_run", arguments: { agent_id: "writer", prompt: "write" } } as const;

/** What the model was told last by a tool. */
function lastResult({ requests }: ScriptedModel): Record<string, unknown> {
  const message = requests.at(-1)?.messages.findLast(({ role }) => role === "tool");
  return JSON.parse(textOf(message ?? { content: "{}" }));
}

async function stateOf(runtime: Runtime) {
  const state = await runtime.threads.state("t1");
  return Object.values(subAgents.read(state ?? {}).runs);
}

describe("agent_run", () => {
  it("waits for the other agent and gives its answer to the model", async () => {
    const { runtime, run, lead } = await openTeam({ script: [[WRITE], "thanks"] });
    const outcome = await run();
    expect(outcome).toMatchObject({ status: "done", text: "thanks" });
    expect(lastResult(lead)).toMatchObject({ agent_id: "writer", status: "completed", output: "a text" });
    expect(await stateOf(runtime)).toEqual([
      { agent_id: "writer", thread_id: expect.stringMatching(/^sub-agent-/), status: "completed" },
    ]);
    expect(await runtime.replay(outcome.run?.run_id ?? "")).toMatchObject({ equal: true });
  });

  it("continues a finished task on its own thread, which remembers the task", async () => {
    const { run, lead, writer } = await openTeam({
      script: ({ messages }, turn) => {
        if (turn === 1) return [WRITE];
        const { run_id } = lastResultOf(messages);
        return turn === 2 ? [{ call: "agent_run", arguments: { run_id, prompt: "shorter" } }] : "thanks";
      },
      writer: (_, turn) => `text ${turn}`,
    });
    expect(await run()).toMatchObject({ status: "done", text: "thanks" });
    expect(lastResult(lead)).toMatchObject({ status: "completed", output: "text 2" });
    expect(writer.requests.at(-1)?.messages.map(textOf)).toEqual(["write", "text 1", "shorter"]);
  });

  it("starts the tasks of one turn beside each other", async () => {
    const { runtime, run, lead } = await openTeam({
      script: [[WRITE, WRITE, { call: "agent_run_critic", arguments: { prompt: "read" } }], "thanks"],
      lead: { delegates: ["critic"] },
      arrange: (store) => meetAtTree(store, 3),
    });
    const outcome = await run();
    expect(outcome).toMatchObject({ status: "done", text: "thanks" });
    expect(await stateOf(runtime)).toMatchObject([1, 2, 3].map(() => ({ status: "completed" })));
    expect(lead.requests[1]?.messages.filter(({ role }) => role === "tool")).toHaveLength(3);
    expect(await runtime.replay(outcome.run?.run_id ?? "")).toMatchObject({ equal: true });
  });

  it("refuses a prompt for a task that is not over, and an agent id of another agent", async () => {
    const { run, lead } = await openTeam({
      script: ({ messages }, turn) => {
        if (turn === 1) return [{ ...WRITE, arguments: { ...WRITE.arguments, background: true } }];
        const first = messages.find(({ role }) => role === "tool");
        const { run_id } = JSON.parse(textOf(first ?? { content: "{}" }));
        if (turn === 2) return [{ call: "agent_run", arguments: { run_id, prompt: "faster" } }];
        if (turn === 3) return [{ call: "agent_run", arguments: { run_id, agent_id: "critic" } }];
        return turn === 4 ? [{ call: "agent_run", arguments: { run_id } }] : "ok";
      },
      writer: [[{ call: "ask", arguments: {} }]],
    });
    expect(await run()).toMatchObject({ status: "done" });
    const results = lead.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(results.slice(1).map((message) => JSON.parse(textOf(message)))).toMatchObject([
      { error: { code: "invalid_state", message: expect.stringContaining("stop it first") } },
      { error: { code: "invalid_arguments", message: expect.stringContaining("belongs to the agent writer") } },
      { agent_id: "writer", status: "waiting" },
    ]);
    // A look at a background task leaves it one.
    expect(textOf(lead.requests.at(-1)?.messages.at(-1) ?? { content: "" })).toContain("<background_agent ");
  });

  it("names the limit that keeps a task from being started", async () => {
    const { run, lead } = await openTeam({
      script: [[WRITE], [WRITE], "ok"],
      limits: { delegation: { depth: null, children: 1, tree: 100 } },
    });
    expect(await run()).toMatchObject({ status: "done", text: "ok" });
    expect(lastResult(lead)).toMatchObject({ error: { code: "denied", limit: "children", most: 1 } });
  });

  it.each([
    ["unknown_agent", { agent_id: "nobody", prompt: "x" }],
    ["unknown_agent", { agent_id: "lead", prompt: "x" }],
    ["unknown_run", { run_id: "child-1" }],
    ["invalid_arguments", { prompt: "x" }],
  ])("answers with %s for %j", async (code, given) => {
    const { run, lead } = await openTeam({ script: [[{ call: "agent_run", arguments: given }], "ok"] });
    expect(await run()).toMatchObject({ status: "done", text: "ok" });
    expect(lastResult(lead)).toMatchObject({ error: { code } });
  });

  it("starts in the background, shows how it stands, and its output can be read", async () => {
    const { runtime, run, lead } = await openTeam({
      script: ({ messages }) => {
        const said = textOf(messages.filter(({ role }) => role === "user").at(0) ?? { content: "" });
        const last = messages.at(-1);
        if (messages.filter(({ role }) => role !== "user").length === 0 && said === "go")
          return [{ ...WRITE, arguments: { ...WRITE.arguments, background: true } }];
        return last?.role === "user" && textOf(last).includes("background_agents") ? "noted" : "ok";
      },
    });
    expect(await run()).toMatchObject({ status: "done", text: "noted" });
    expect(lastResult(lead)).toMatchObject({ agent_id: "writer", status: "running", error: null });
    await eventually(async () => expect(await stateOf(runtime)).toMatchObject([{ status: "completed" }]));
  });
});

describe("fork_context", () => {
  const forked = (more: JsonObject) => [{ call: "agent_run", arguments: { ...WRITE.arguments, ...more } }];

  it("gives a task the conversation and the state of the application, and nothing of them without it", async () => {
    const { runtime, writer } = await openTeam({ script: [forked({ fork_context: true }), forked({}), "thanks"] });
    const request = { agent: "lead", threadId: "t1", input: "go", state: { city: "Oslo" } } as const;
    expect(await runtime.runToCompletion(request)).toMatchObject({ status: "done", text: "thanks" });
    expect(writer.requests.map(({ messages }) => messages.map(textOf))).toEqual([["go", "write"], ["write"]]);
    const children = (await runtime.runs({ agentId: "writer" })).items;
    const states = await Promise.all(children.map(({ thread_id }) => runtime.threads.state(thread_id)));
    expect(states.map((state) => (state as JsonObject).city).toSorted()).toEqual(["Oslo", undefined]);
    // What the lead knows of its tasks is not the application's.
    for (const state of states) expect(state).not.toHaveProperty("sub_agents");
    for (const { run_id } of (await runtime.runs()).items)
      expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
  });

  it("is refused for an earlier task, which keeps its own conversation", async () => {
    const { runtime, run, lead } = await openTeam({
      script: ({ messages }, turn) => {
        if (turn === 1) return [WRITE];
        const { run_id } = lastResultOf(messages);
        return turn === 2 ? [{ call: "agent_run", arguments: { run_id, prompt: "more", fork_context: true } }] : "ok";
      },
    });
    expect(await run()).toMatchObject({ status: "done", text: "ok" });
    expect(lastResult(lead)).toMatchObject({
      error: { code: "invalid_arguments", message: expect.stringContaining("Leave out fork_context") },
    });
    expect((await runtime.runs({ agentId: "writer" })).items).toHaveLength(1);
  });
});

it("says store_error when the store is away, and the same call succeeds when it is back", async () => {
  let isAway = true;
  const arrange = (store: Store): Store => ({
    ...store,
    forTenant(tenant) {
      const own = store.forTenant(tenant);
      return {
        ...own,
        submit: async (entry, claiming) => {
          if (isAway && entry.request.agent_id === "writer")
            throw new RepriseError("STORE_UNAVAILABLE", "The store is away.");
          return own.submit(entry, claiming);
        },
      };
    },
  });
  const { runtime, run, lead } = await openTeam({
    script: (_, turn) => {
      if (turn === 2) isAway = false;
      return turn <= 2 ? [WRITE] : "thanks";
    },
    arrange,
  });
  expect(await run()).toMatchObject({ status: "done", text: "thanks" });
  const results = lead.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  expect(results.map((message) => JSON.parse(textOf(message)))).toMatchObject([
    { error: { code: "store_error", message: "The store is away." } },
    { status: "completed", output: "a text" },
  ]);
  expect((await runtime.runs({ agentId: "writer" })).items).toHaveLength(1);
});

describe("the limits of a task", () => {
  const usage = { usage: { promptTokens: 90, completionTokens: 10 } };
  const task = (limits: JsonObject) => [
    { call: "agent_run", arguments: { agent_id: "writer", prompt: "write", limits } },
    usage,
  ];
  const writer = () => [{ text: "a text" }, usage] as const;

  it("are the lower ones of those that the model asks for and those of the settings, in code and in configuration", async () => {
    const limits = { tokens: 30_000, toolCalls: 2, cost: 0.5 };
    const { runtime, run } = await openTeam({
      script: [task({ tokens: 40_000, tool_calls: 1, seconds: 0.5 }), [{ text: "thanks" }, usage]],
      lead: {
        plugins: [agentTools({ limits })],
        sections: { agent_tools: { limits: { tokens: 20_000, tool_calls: 3 } } },
      },
      writer,
    });
    await run();
    const [child] = (await runtime.runs({ agentId: "writer" })).items;
    expect(child?.policy?.budget).toEqual({ limit_tokens: 20_000, limit_tool_calls: 1, limit_ms: 500 });
  });

  it("that the budget has no room for are data for the model, with what is left", async () => {
    const { runtime, lead } = await openTeam({
      script: [task({ tokens: 60_000 }), task({ tokens: 40_000 }), [{ text: "thanks" }, usage]],
      writer,
    });
    const budget = { limitTokens: 50_000 };
    const run = await runtime.start({ agent: "lead", threadId: "t1", input: "go", budget });
    expect(await run.outcome()).toMatchObject({ status: "done" });
    const refused = lead.requests[1]?.messages.findLast(({ role }) => role === "tool");
    expect(JSON.parse(textOf(refused ?? { content: "null" }))).toMatchObject({
      error: { code: "denied", limit: "tokens", most: 49_900 },
    });
    const { allotments } = await runtime.budgets.get(run.id);
    expect(Object.values(allotments)).toMatchObject([{ limit_tokens: 40_000, spent: { tokens: 100 }, held: false }]);
  });

  it("are refused when they make no sense, by the schema of the tool and by the settings", async () => {
    const { run, lead } = await openTeam({ script: [task({ tokens: -1 }), "then not"] });
    await run();
    expect(lastResult(lead)).toMatchObject({ error: { code: "invalid_arguments" } });
    expect(() => agentTools({ limits: { tokens: -1 } })).toThrow("limits");
  });
});

it.each(["agent_run", "agent_stop", "agent_output", "send_message"])(
  "%s says that it has no run to work for outside of one",
  async (id) => {
    const tool = agentTools().tools.find(({ descriptor }) => descriptor.id === id);
    // A host that executes tools by itself has no such context.
    const outside = {} as ToolContext;
    expect(await tool?.execute({ run_id: "r1", to: "r1", message: "m" }, outside)).toMatchObject({
      status: "error",
      data: { error: { code: "missing_scope" } },
    });
  },
);

describe("agent_stop", () => {
  it("stops tasks that are in the middle of a tool which nothing else may overlap, also twice in one turn", async () => {
    const begun = Promise.withResolvers<void>();
    const stuck = defineTool({
      id: "ask",
      description: "Ends when it is stopped.",
      inputSchema: { type: "object" },
      idempotent: true,
      execute: (_, { signal }) => {
        begun.resolve();
        return new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
      },
    });
    const wait = defineTool({
      id: "wait",
      description: "Waits until the task is in its tool.",
      class: "read_only",
      execute: () => begun.promise.then(() => "begun"),
    });
    const background = { ...WRITE, arguments: { ...WRITE.arguments, background: true } };
    const { runtime, run, lead } = await openTeam({
      script: ({ messages }, turn) => {
        if (turn === 1) return [background];
        if (turn === 2) return [{ call: "wait" }];
        const task = messages.find(({ role }) => role === "tool");
        const { run_id } = JSON.parse(textOf(task ?? { content: "{}" }));
        return turn === 3 ? [1, 2].map(() => ({ call: "agent_stop", arguments: { run_id } })) : "ok";
      },
      writer: [[{ call: "ask", arguments: {} }]],
      lead: { tools: [wait] },
      ask: stuck,
    });
    const outcome = await run();
    expect(outcome).toMatchObject({ status: "done" });
    expect(lastResult(lead)).toMatchObject({ agent_id: "writer", status: "stopped" });
    await eventually(async () => expect(await stateOf(runtime)).toMatchObject([{ status: "stopped" }]));
    expect(await runtime.replay(outcome.run?.run_id ?? "")).toMatchObject({ equal: true });
  });

  it("stops a task that waits for a person", async () => {
    const background = { ...WRITE, arguments: { ...WRITE.arguments, background: true } };
    const { runtime, run, lead } = await openTeam({
      script: ({ messages }, turn) => {
        if (turn === 1) return [background];
        const { run_id } = lastResultOf(messages);
        return turn === 2 ? [{ call: "agent_stop", arguments: { run_id } }] : "ok";
      },
      writer: [[{ call: "ask", arguments: {} }]],
    });
    expect(await run()).toMatchObject({ status: "done" });
    expect(lastResult(lead)).toMatchObject({ agent_id: "writer", status: "stopped" });
    await eventually(async () => expect(await runtime.decisions.list()).toEqual([]));
  });
});

it("believes no other tool about how a task stands", async () => {
  const liar = defineTool({
    id: "liar",
    description: "Says that every task was stopped.",
    inputSchema: { type: "object", additionalProperties: true },
    execute: ({ run_id }: { readonly run_id: string }) => ({ run_id, status: "stopped" }),
  });
  const { runtime, run } = await openTeam({
    script: ({ messages }, turn) => {
      if (turn === 1) return [{ ...WRITE, arguments: { ...WRITE.arguments, background: true } }];
      return turn === 2 ? [{ call: "liar", arguments: { run_id: lastResultOf(messages).run_id } }] : "ok";
    },
    lead: { tools: [liar] },
    writer: [[{ call: "ask", arguments: {} }]],
  });
  expect(await run()).toMatchObject({ status: "done" });
  expect(await stateOf(runtime)).toMatchObject([{ status: "waiting" }]);
});

describe("the list of agents", () => {
  it("tells the model of every other agent, escaped", async () => {
    const { run, lead } = await openTeam({ script: ["ok"] });
    await run();
    const told = textOf(lead.requests[0]?.messages.at(-1) ?? { content: "" });
    expect(told).toContain("<agent><id>writer</id><description>Writes &lt;b&gt;texts&lt;/b&gt;.</description></agent>");
    expect(told).toContain("<id>critic</id>");
    expect(told).not.toContain("<id>lead</id>");
  });

  it("has only what the lists of the agent allow, and others cannot be started", async () => {
    const { run, lead } = await openTeam({ script: [[WRITE], "ok"], lead: { excludedAgents: ["writer"] } });
    await run();
    expect(textOf(lead.requests[0]?.messages.at(-1) ?? { content: "" })).not.toContain("writer");
    expect(lastResult(lead)).toMatchObject({ error: { code: "unknown_agent" } });
  });

  it("hides the tools when no agent is left", async () => {
    const { run, lead } = await openTeam({ script: ["ok"], lead: { allowedAgents: [], delegates: ["critic"] } });
    await run();
    expect(lead.requests[0]?.tools).toEqual([]);
  });
});

it("tells the model of an agent in the background in markup that the frame of the runtime leaves alone", async () => {
  const { run, lead } = await openTeam({
    script: [[{ ...WRITE, arguments: { ...WRITE.arguments, background: true } }], "ok", "ok"],
  });
  await run();
  const told = textOf(lead.requests[1]?.messages.at(-1) ?? { content: "" });
  expect(told).toMatch(/<background_agent run_id="child-[0-9a-f]+" agent="writer" status="(running|completed)"\/>/);
});

it("gives delegates whose ids differ only in punctuation a tool each", async () => {
  const agents = ["team.critic", "team/critic", "team.critic"];
  const model = scriptedModel([[{ call: "agent_run_team_critic_2", arguments: { prompt: "read" } }], "thanks"]);
  const lead = defineAgent({ id: "lead", model, plugins: [agentTools()], delegates: agents });
  const critics = [...new Set(agents)].map((id) => defineAgent({ id, model: scriptedModel(() => `read by ${id}`) }));
  const env = createFakeEnv();
  const store = createMemoryStore({ clock: env.clock });
  const runtime = await createRuntime({ env, store, blobs: createMemoryBlobStore(env), agents: [lead, ...critics] });
  onTestFinished(() => runtime.close());
  await runtime.runToCompletion({ agent: "lead", threadId: "t1", input: "go" });
  const offered = model.requests[0]?.tools.map(({ id }) => id).filter((id) => id.startsWith("agent_run_"));
  expect(offered).toEqual(["agent_run_team_critic", "agent_run_team_critic_2"]);
  expect(lastResult(model)).toMatchObject({ agent_id: "team/critic", output: "read by team/critic" });
});

it.each<[string, Partial<AgentDefinition>]>([
  ["does not exist", { delegates: ["critic", "nobody"] }],
  ["may not work for the agent", { delegates: ["critic", "writer"], excludedAgents: ["writer"] }],
])("hides the tool of a delegate that %s", async (_, lists) => {
  const { run, lead } = await openTeam({ script: ["ok"], lead: lists });
  await run();
  const offered = lead.requests[0]?.tools.map(({ id }) => id).filter((id) => id.startsWith("agent_run_"));
  expect(offered).toEqual(["agent_run_critic"]);
});

it("brings a tool for each delegate", async () => {
  const { run, lead } = await openTeam({
    script: [[{ call: "agent_run_critic", arguments: { prompt: "read" } }], "thanks"],
    lead: { delegates: ["critic"] },
  });
  expect(await run()).toMatchObject({ status: "done", text: "thanks" });
  expect(lead.requests[0]?.tools.map(({ id }) => id)).toContain("agent_run_critic");
  expect(lastResult(lead)).toMatchObject({ agent_id: "critic", output: "fine" });
});

function lastResultOf(messages: ScriptedModel["requests"][number]["messages"]): { readonly run_id: string } {
  return JSON.parse(textOf(messages.findLast(({ role }) => role === "tool") ?? { content: "{}" }));
}
