import { type MediaModel, ModelError, type ModelProvider } from "@reprise/contracts";
import { type Script, type ScriptTurn, scriptedModel } from "@reprise/models";
import { type Agent, createRuntime, defineTool, type RunHandle } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, type FakeEnv } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { soon, until } from "../../runtime/test/support/wait.ts";
import { defineWorkflow } from "../src/run/define-workflow.ts";
import { type WorkflowsOptions, workflows } from "../src/run/workflows.ts";
import { edge, type FlowDefinition } from "./support/flow-bench.ts";

/** A runtime whose workflows use its own providers and tools, as a host's do. */
async function open(
  workflow: FlowDefinition,
  script: Script,
  {
    secrets = {},
    others = [],
    media,
    agents = {},
    refreshAuth,
  }: {
    readonly secrets?: Record<string, string>;
    readonly others?: readonly Agent[];
    readonly media?: MediaModel;
    readonly agents?: Pick<WorkflowsOptions, "preEgress" | "onAuthError" | "limits">;
    readonly refreshAuth?: () => Promise<boolean>;
  } = {},
) {
  const env = createFakeEnv();
  const model = scriptedModel(script);
  const provider: ModelProvider = {
    id: "p",
    model: () => model,
    ...(media !== undefined && { media: () => media }),
    ...(refreshAuth !== undefined && { refreshAuth }),
    describe: () => ({
      ...(media !== undefined && { surface: "generative" }),
      context_window: 10_000,
      max_output_tokens: 100,
      pricing: { input_per_million: 10, output_per_million: 10 },
    }),
  };
  const seen: Json[] = [];
  const lookUp = defineTool({
    id: "look_up",
    description: "Looks something up.",
    class: "read_only",
    inputSchema: { type: "object", properties: { of: { type: "string" }, token: { type: "string" } } },
    execute: (input) => {
      seen.push(input as Json);
      const { of, token } = input as { readonly of?: string; readonly token?: string };
      if (of === "echo") return { heard: [`Bearer ${token}`] };
      if (of === "failure") throw new Error(`401 for ${token}`);
      return { answer: 42 };
    },
  });
  const runtime = await createRuntime({
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    agents: [defineWorkflow({ schema_version: "1.0", workflow: { id: "flow", ...workflow } }), ...others],
    programs: [
      workflows({ sandbox: { evaluate: () => ({ value: null }) }, secret: (name) => secrets[name], ...agents }),
    ],
    providers: [provider],
    tools: [lookUp],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { env, runtime, model, seen };
}

const AGENT = { id: "a", model: "m", provider: "p", tools: ["look_up"], max_tokens: 50 };
const ASK = { id: "ask", type: "agent", agent_ref: "a", prompt_template: "What is {{ inputs.topic }}?" } as const;
const INPUTS = [{ name: "topic", type: "string", required: true }] as const;

it("an agent node asks the runtime's model, calls the runtime's tools, and its run verifies by replay", async () => {
  const { runtime, seen } = await open({ agents: [AGENT], inputs: INPUTS, nodes: [ASK] }, [
    [{ call: "look_up", arguments: { of: "it" } }],
    [{ text: "It is 42." }, { usage: { promptTokens: 100, completionTokens: 20 } }],
  ]);
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "the answer" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "It is 42." });
  expect(seen).toEqual([{ of: "it" }]);
  const events = await soon(Array.fromAsync(run.events()));
  const types = events.map(({ type }) => type).filter((type) => type.startsWith("node_"));
  expect(types).toEqual(
    expect.arrayContaining(["node_start", "node_tool_call", "node_tool_result", "node_delta", "node_cost", "node_end"]),
  );
  const record = (await runtime.runs({ limit: 1 })).items[0];
  expect(record?.cost_microcents).toBeGreaterThan(0);
  expect(record?.input_tokens).toBeGreaterThan(0);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("a budget that is spent pauses the run for approval, and continues with what was granted", async () => {
  const budget = { max_cost_microcents: 10, on_exceed: "pause_for_approval" } as const;
  const { runtime } = await open({ agents: [AGENT], inputs: INPUTS, budget, nodes: [ASK] }, ["Expensive words."]);
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
  const [question] = await runtime.decisions.list({ threadId: "t" });
  expect(question).toMatchObject({ ticket: { suspension: { action: "budget" } } });
  await runtime.decisions.decide(question?.id ?? "", { action: "supply", result: { limit_microcents: 1_000_000_000 } });
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "Expensive words." });
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("a budget that only warns says so once, and the run continues", async () => {
  const budget = { max_cost_microcents: 10, on_exceed: "warn" } as const;
  const nodes = [ASK, { ...ASK, id: "again" }];
  const { runtime } = await open({ agents: [AGENT], inputs: INPUTS, budget, nodes, edges: [edge("ask", "again")] }, [
    [{ text: "Words." }, { usage: { promptTokens: 100, completionTokens: 20 } }],
  ]);
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "Words." });
  const events = await soon(Array.fromAsync(run.events()));
  expect(events.filter(({ type }) => type === "budget_warning")).toHaveLength(1);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("a budget that is spent fails the run, and a denied one too", async () => {
  const failing = await open({ agents: [AGENT], inputs: INPUTS, budget: { max_cost_microcents: 10 }, nodes: [ASK] }, [
    "No.",
  ]);
  const run = await soon(failing.runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "budget_exceeded" });
});

it.each(["node", "agent"] as const)(
  "an answer that breaks off after its first word is asked for again, as retry of the %s says",
  async (place) => {
    const retry = { max: 3, backoff_ms: 20 };
    const agent = { ...AGENT, ...(place === "agent" && { retry }) };
    const { env, runtime, model } = await open(
      { agents: [agent], inputs: INPUTS, nodes: [{ ...ASK, ...(place === "node" && { retry }) }] },
      inOrder([{ text: "It" }, { cut: true }], [{ text: "It is" }, { cut: true }], "It is 42."),
    );
    const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
    await untilOver(env, run);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "It is 42." });
    expect(model.requests).toHaveLength(3);
    const events = await soon(Array.fromAsync(run.events()));
    expect(events.flatMap((event) => (event.type === "node_retry" ? [event.data.attempt] : []))).toEqual([2, 3]);
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  },
);

it("retry counts the questions before and after the first word together", async () => {
  const retry = { max: 3, backoff_ms: 20 };
  const { env, runtime, model } = await open(
    { agents: [AGENT], inputs: INPUTS, nodes: [{ ...ASK, retry }] },
    inOrder([{ fail: "overloaded" }], [{ text: "It" }, { cut: true }], [{ fail: "overloaded" }]),
  );
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  await untilOver(env, run);
  expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "provider_unavailable" });
  // Two of three, and then the two that a second attempt has at most.
  expect(model.requests).toHaveLength(4);
});

it("a provider that wants a long pause gets it: the run gives its claim back, and the node is tried again", async () => {
  const retry = { max: 2, backoff_ms: 20 };
  const { env, runtime, model } = await open(
    { agents: [AGENT], inputs: INPUTS, nodes: [{ ...ASK, retry }] },
    inOrder(new ModelError("rate_limit", "Later.", { retryAfterMs: 60_000 }), "It is 42."),
  );
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  await until(async () => (await run.record()).status === "waiting");
  await env.advance(59_000);
  expect(model.requests).toHaveLength(1);
  await untilOver(env, run);
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "It is 42." });
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("retry_on is for every failure of a node: what it does not name is not tried again", async () => {
  const retry = { max: 3, backoff_ms: 20, retry_on: ["provider_rate_limit"] } as const;
  const { runtime, model } = await open(
    { agents: [{ ...AGENT, retry }], inputs: INPUTS, nodes: [ASK] },
    inOrder([{ text: "It" }, { cut: true }], "never"),
  );
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "provider_unavailable" });
  expect(model.requests).toHaveLength(1);
});

it("a node whose model makes media is tried again as retry says", async () => {
  let asked = 0;
  const media: MediaModel = {
    id: "film",
    async generate() {
      asked += 1;
      if (asked < 3) throw new ModelError("overloaded", "Busy.");
      return { content: new Uint8Array([1]), media_type: "image/png", units: 1 };
    },
  };
  const node = { ...ASK, output_modalities: ["image"], retry: { max: 3, backoff_ms: 20 } } as const;
  const { env, runtime } = await open({ agents: [AGENT], inputs: INPUTS, nodes: [node] }, [], { media });
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  await untilOver(env, run);
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(asked).toBe(3);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

/** Plays turns one after the other, whichever attempt of a node asks, and the last one for ever. */
function inOrder(...turns: readonly (ScriptTurn | ModelError)[]): Script {
  let asked = 0;
  return () => {
    const turn = turns[Math.min(asked, turns.length - 1)] ?? "";
    asked += 1;
    if (ModelError.is(turn)) throw turn;
    return turn;
  };
}

/** Lets time pass until a run has ended. */
async function untilOver(env: FakeEnv, run: RunHandle): Promise<void> {
  await until(async () => {
    await env.advance(1_000);
    return ["done", "failed"].includes((await run.record()).status);
  });
}

it("a host that gives preEgress is asked about every attempt, and its refusal is the outcome of the node", async () => {
  const asked: unknown[] = [];
  const { runtime, model } = await open(
    { agents: [AGENT], inputs: INPUTS, nodes: [ASK] },
    [[{ call: "look_up", arguments: { of: "it" } }], "never"],
    {
      agents: {
        preEgress: ({ runId, path, provider, model: name, worstCase }) => {
          asked.push({ path, provider, model: name, hasPrice: worstCase.microcents > 0, runId });
          return asked.length < 2
            ? undefined
            : { code: "budget_exceeded", message: "No more today.", retryable: false };
        },
      },
    },
  );
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  expect(await soon(run.outcome())).toMatchObject({
    status: "failed",
    code: "budget_exceeded",
    error: "No more today.",
  });
  expect(asked).toEqual(Array(2).fill({ path: "ask", provider: "p", model: "m", hasPrice: true, runId: run.id }));
  expect(model.requests).toHaveLength(1);
});

it("a host that gives onAuthError gets a new key once, and the provider is not asked", async () => {
  const refreshed: string[] = [];
  let own = 0;
  const { runtime } = await open(
    { agents: [AGENT], inputs: INPUTS, nodes: [ASK] },
    inOrder([{ fail: "auth" }], "It is 42."),
    {
      agents: { onAuthError: async (provider) => refreshed.push(provider) > 0 },
      refreshAuth: async () => {
        own += 1;
        return true;
      },
    },
  );
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "It is 42." });
  expect([refreshed, own]).toEqual([["p"], 0]);
});

it("a host limits the rounds of tools", async () => {
  const { runtime, model } = await open(
    { agents: [AGENT], inputs: INPUTS, nodes: [ASK] },
    () => [{ call: "look_up", arguments: { of: "it" } }],
    { agents: { limits: { maxToolTurns: 2 } } },
  );
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "it" }));
  expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "turn_limit" });
  expect(model.requests).toHaveLength(3);
});

const TOKEN = { name: "token", type: "secret", required: true, default: "MY_TOKEN" } as const;

it("a secret reaches its tool and nothing that is stored or shown", async () => {
  const bench = await open(
    {
      inputs: [TOKEN],
      nodes: [
        { id: "call", type: "tool", tool: "look_up", arguments: { of: "x", token: "{{ inputs.token }}" } },
        { id: "out", type: "output" },
      ],
      edges: [edge("call", "out")],
    },
    [],
    { secrets: { MY_TOKEN: "s3cr3t-value" } },
  );
  const run = await soon(
    bench.runtime.start({ agent: "flow", threadId: "t", input: JSON.stringify({ token: "MY_TOKEN" }) }),
  );
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(bench.seen).toEqual([{ of: "x", token: "s3cr3t-value" }]);
  const everything = JSON.stringify([await soon(Array.fromAsync(run.events())), await bench.runtime.exportRun(run.id)]);
  expect(everything).not.toContain("s3cr3t-value");
});

it.each([
  ["echo", { status: "done", text: '{"heard":["Bearer [secret inputs.token]"]}' }],
  [
    "failure",
    { status: "failed", code: "tool_failed", error: expect.stringContaining("401 for [secret inputs.token]") },
  ],
] as const)("a secret that its tool repeats is hidden: %s", async (of, expected) => {
  const { runtime, seen } = await open(
    {
      inputs: [TOKEN],
      nodes: [{ id: "call", type: "tool", tool: "look_up", arguments: { of, token: "{{ inputs.token }}" } }],
    },
    [],
    { secrets: { MY_TOKEN: "s3cr3t-value" } },
  );
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  expect(await soon(run.outcome())).toMatchObject(expected);
  expect(seen).toEqual([{ of, token: "s3cr3t-value" }]);
  const everything = JSON.stringify([await soon(Array.fromAsync(run.events())), await runtime.exportRun(run.id)]);
  expect(everything).not.toContain("s3cr3t-value");
});

it("a sub-workflow gets a secret by its name", async () => {
  const inner = defineWorkflow({
    schema_version: "1.0",
    workflow: {
      id: "inner",
      inputs: [TOKEN],
      nodes: [{ id: "call", type: "tool", tool: "look_up", arguments: { token: "{{ inputs.token }}" } }],
    },
  });
  const { runtime, seen } = await open(
    {
      inputs: [{ name: "key", type: "secret", default: "MY_TOKEN" }],
      nodes: [{ id: "sub", type: "subworkflow", workflow_ref: "inner", inputs: { token: "{{ inputs.key }}" } }],
    },
    [],
    { secrets: { MY_TOKEN: "s3cr3t-value" }, others: [inner] },
  );
  const run = await soon(runtime.start({ agent: "flow", threadId: "t", input: "" }));
  await until(async () => (await run.record()).status === "done");
  expect(await soon((await runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: '{"answer":42}' });
  expect(seen).toEqual([{ token: "s3cr3t-value" }]);
});

it("the policy of a run counts for the tools of its nodes", async () => {
  const policy = { excludedTools: ["look_up"] };
  const calling = await open({ nodes: [{ id: "call", type: "tool", tool: "look_up" }] }, []);
  const refused = await soon(calling.runtime.start({ agent: "flow", threadId: "t", input: "", policy }));
  expect(await soon(refused.outcome())).toMatchObject({ status: "failed", code: "tool_denied" });
  expect(calling.seen).toEqual([]);
  const asking = await open({ agents: [AGENT], inputs: INPUTS, nodes: [ASK] }, ["No idea."]);
  const run = await soon(asking.runtime.start({ agent: "flow", threadId: "t", input: "it", policy }));
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(asking.model.requests.map(({ tools }) => tools)).toEqual([[]]);
});

it("nobody but a restart says which nodes are done", async () => {
  const { runtime } = await open(
    { nodes: [{ id: "gate", type: "human_gate", gate_type: "approval", message_template: "Pay?" }] },
    [],
  );
  const gate = { status: "completed", attempt: 1, started_at: 0, output: { decision: "approved" } };
  const input = JSON.stringify({ inputs: {}, keep: { gate } });
  for (const origin of ["user", "a2a", "subagent", "internal"] as const) {
    const run = await soon(runtime.start({ agent: "flow", threadId: origin, input, origin }));
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "validation" });
  }
  const restart = await soon(runtime.start({ agent: "flow", threadId: "restart", input, origin: "workflow" }));
  expect(await soon(restart.outcome())).toMatchObject({ status: "done" });
});
