import { type BackendRun, type ExecutionBackend, textOf } from "@reprise/contracts";
import { type Script, type ScriptedModel, scriptedModel } from "@reprise/models";
import { type AgentToolsOptions, agentTools } from "@reprise/plugins/agent-tools";
import { createRegistryBuilder, createRuntime, defineAgent, sequence } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, eventually } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";

interface Team {
  readonly script: Script;
  readonly options?: AgentToolsOptions;
  /** What the agent that runs elsewhere does. */
  readonly far?: (run: BackendRun) => Promise<string> | string;
}

/** A lead whose tasks are done by an agent here, `near`, and by one that runs elsewhere, `far`. */
async function openTeam({ script, options, far = () => "from far away" }: Team) {
  const env = createFakeEnv();
  const asked: BackendRun[] = [];
  const backend: ExecutionBackend = {
    id: "a2a",
    check: () => undefined,
    async run(_, run) {
      asked.push(run);
      return { termination: { type: "natural_end" }, text: await far(run) };
    },
  };
  const lead = scriptedModel(script, "lead");
  const plugins = [agentTools(options)];
  const agents = [
    defineAgent({ id: "near", description: "Works here.", model: scriptedModel(() => "from here") }),
    defineAgent({ id: "lead", model: lead, delegates: ["far"], plugins }),
    sequence({ id: "both", steps: ["near", { agent: "far", limits: { limitTokens: 5 } }] }),
  ];
  const builder = createRegistryBuilder()
    .withBackend(backend)
    .withAgent({ id: "far", description: "Works elsewhere.", endpoint: "https://far.test" });
  for (const { spec, ...own } of agents) builder.withAgent(spec, own);
  const store = createMemoryStore({ clock: env.clock });
  const runtime = await createRuntime({
    env,
    store,
    blobs: createMemoryBlobStore(env),
    registries: builder.build(),
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const run = () => runtime.runToCompletion({ agent: "lead", threadId: "t1", input: "go" });
  const warnings = () => env.lines.filter(({ level }) => level === "warn");
  return { env, runtime, lead, asked, run, warnings };
}

const call = (agent_id: string, more: { readonly [name: string]: Json } = {}) => ({
  call: "agent_run",
  arguments: { agent_id, prompt: "work", ...more },
});

function results({ requests }: ScriptedModel): readonly unknown[] {
  const told = requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  return told.map((message) => JSON.parse(textOf(message)));
}

describe("limits of a task of an agent that runs elsewhere", () => {
  it.each([
    ["limit_tokens", { tokens: 1_000 }],
    ["limit_microcents", { cost: 0.5 }],
    ["limit_tool_calls", { tool_calls: 3, seconds: 60 }],
  ])("that are not counted there are refused, and nothing is started: %s", async (name, limits) => {
    const { runtime, run, lead, asked } = await openTeam({
      script: [[call("far", { limits }), { call: "agent_run_far", arguments: { prompt: "work", limits } }], "ok"],
    });
    expect(await run()).toMatchObject({ status: "done", text: "ok" });
    const error = {
      code: "invalid_arguments",
      message: expect.stringMatching(new RegExp(`Agent far runs elsewhere.* cannot have ${name}\\. Limit its time`)),
    };
    expect(results(lead)).toMatchObject([{ error }, { error }]);
    expect(asked).toEqual([]);
    expect((await runtime.runs()).items).toHaveLength(1);
  });

  it("that are not counted there are refused for an earlier task too", async () => {
    const { run, lead, asked } = await openTeam({
      script: ({ messages }, turn) => {
        if (turn === 1) return [call("far")];
        const { run_id } = JSON.parse(textOf(messages.find(({ role }) => role === "tool") ?? { content: "{}" }));
        const more = { run_id, prompt: "more", limits: { tokens: 10 } };
        return turn === 2 ? [{ call: "agent_run", arguments: more }] : "ok";
      },
    });
    expect(await run()).toMatchObject({ status: "done", text: "ok" });
    expect(results(lead)).toMatchObject([{ status: "completed" }, { error: { code: "invalid_arguments" } }]);
    expect(asked).toHaveLength(1);
  });

  it("of all tasks are left out for it with one warning, but for the time, and hold for an agent here", async () => {
    const { runtime, run, lead, warnings } = await openTeam({
      script: [[call("far"), call("near")], [call("far", { limits: { seconds: 20 } })], "ok"],
      options: { limits: { tokens: 40_000, cost: 1, toolCalls: 4, seconds: 30 } },
    });
    expect(await run()).toMatchObject({ status: "done", text: "ok" });
    expect(results(lead)).toMatchObject([
      { agent_id: "far", status: "completed", output: "from far away" },
      // The limit in money holds here: a model without a price is not asked.
      { agent_id: "near", status: "failed", error: expect.stringContaining("price") },
      { agent_id: "far", status: "completed" },
    ]);
    const budgets = async (agentId: string) =>
      (await runtime.runs({ agentId })).items.map(({ policy }) => policy?.budget).toSorted(byTime);
    expect(await budgets("far")).toEqual([{ limit_ms: 20_000 }, { limit_ms: 30_000 }]);
    expect(await budgets("near")).toEqual([
      { limit_tokens: 40_000, limit_microcents: 100_000_000, limit_tool_calls: 4, limit_ms: 30_000 },
    ]);
    expect(warnings()).toMatchObject([
      { details: { agent_id: "far", left_out: ["limit_tokens", "limit_microcents", "limit_tool_calls"] } },
    ]);
  });

  it("of time end it", async () => {
    const { env, runtime, lead, asked } = await openTeam({
      script: [[call("far", { limits: { seconds: 60 } })], "too slow"],
      far: () => new Promise<never>(() => undefined),
    });
    const run = await runtime.start({ agent: "lead", threadId: "t1", input: "go" });
    await eventually(() => expect(asked).toHaveLength(1));
    await eventually(async () => {
      await env.advance(10_000);
      expect((await run.record()).status).toBe("done");
    });
    expect(await run.outcome()).toMatchObject({ status: "done", text: "too slow" });
    expect(results(lead)).toMatchObject([{ agent_id: "far", status: "stopped", stopped_by: "time_limit" }]);
  });

  it("are refused as well in a composition and for a run that a client starts", async () => {
    const { runtime, asked } = await openTeam({ script: [] });
    const both = await runtime.runToCompletion({ agent: "both", input: "go" });
    expect(both).toMatchObject({ status: "failed", error: expect.stringContaining("cannot have limit_tokens") });
    await expect(runtime.start({ agent: "far", input: "go", budget: { limitTokens: 5 } })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("Limit its time (limit_ms)"),
    });
    expect(asked).toEqual([]);
  });
});

it("an agent that runs elsewhere cannot get the context of its caller", async () => {
  const { run, lead, asked } = await openTeam({ script: [[call("far", { fork_context: true })], "ok"] });
  expect(await run()).toMatchObject({ status: "done", text: "ok" });
  expect(results(lead)).toMatchObject([
    { error: { code: "invalid_arguments", message: expect.stringContaining("Agent far does not run here") } },
  ]);
  expect(asked).toEqual([]);
});

function byTime(one: { limit_ms?: number } | undefined, other: { limit_ms?: number } | undefined): number {
  return (one?.limit_ms ?? 0) - (other?.limit_ms ?? 0);
}
