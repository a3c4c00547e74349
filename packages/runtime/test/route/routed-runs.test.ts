import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { collect, soon } from "../support/wait.ts";

const USED = { promptTokens: 100, completionTokens: 10 };
const USAGE = { prompt_tokens: 100, completion_tokens: 10 };

/** A runtime with two named models of two providers; the agent falls back from one to the other. */
async function openRouted(first: Parameters<typeof scriptedModel>[0], second: Parameters<typeof scriptedModel>[0]) {
  const env = createFakeEnv();
  const models = { near: scriptedModel(first, "near-1"), far: scriptedModel(second, "far-1") };
  const runtime = await createRuntime({
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    models: [
      { id: "near/one", provider: "near", model: "1", pricing: { input_per_million: 1, output_per_million: 10 } },
      { id: "far/one", provider: "far", model: "1" },
    ],
    providers: [
      { id: "near", model: () => models.near },
      { id: "far", model: () => models.far },
    ],
    agents: [
      defineAgent({
        id: "agent",
        model: "near/one",
        fallbackModels: ["far/one"],
        retryPolicy: { maxAttemptsPerModel: 1 },
      }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, models };
}

it("tells which model answered, and what that cost", async () => {
  const { runtime } = await openRouted([[{ text: "hi" }, { usage: USED }]], []);
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const events = await collect(run);
  expect(events.find(({ type }) => type === "model_routed")?.data).toEqual({
    requested: "near/one",
    requirements: [],
    candidates: ["near/one", "far/one"],
    selected: "near/one",
    reason: "first choice",
    rate: [],
    chain: [
      {
        attempt: 1,
        provider: "near",
        model: "near/one",
        outcome: "succeeded",
        cost_microcents: 20_000,
        started_ms: 0,
        duration_ms: 0,
      },
    ],
  });
  expect(events.find(({ type }) => type === "cost_recorded")?.data).toEqual({
    provider: "near",
    model: "near/one",
    attempt: 1,
    outcome: "succeeded",
    usage: USAGE,
    cost_microcents: 20_000,
    run_cost_microcents: 20_000,
    priced: true,
  });
  expect((await run.record()).cost_microcents).toBe(20_000);
});

it("tells when another model had to answer, and that its price is not known", async () => {
  const { runtime } = await openRouted([[{ fail: "overloaded" }]], [[{ text: "far away" }, { usage: USED }]]);
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "far away" });
  const events = await collect(run);
  expect(events.find(({ type }) => type === "model_routed")?.data).toMatchObject({
    selected: "far/one",
    reason: "those before it failed or were passed over",
    chain: [{ outcome: "failed", error: "overloaded" }, { outcome: "succeeded" }],
  });
  const costs = events.flatMap((event) => (event.type === "cost_recorded" ? [event.data] : []));
  expect(costs).toMatchObject([
    { model: "near/one", outcome: "failed", error: "overloaded", cost_microcents: 0, priced: true },
    { model: "far/one", outcome: "succeeded", usage: USAGE, cost_microcents: 0, priced: false },
  ]);
});

it("tells what was tried when nobody answered", async () => {
  const { runtime } = await openRouted([[{ fail: "invalid_request" }]], []);
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "MODEL_INVALID_REQUEST" });
  const fact = (await collect(run)).find(({ type }) => type === "model_routed")?.data;
  expect(fact).toMatchObject({ reason: "no model answered", chain: [{ error: "invalid_request" }] });
});

it("asks each of a chain as often as it says", async () => {
  const env = createFakeEnv();
  const failing = scriptedModel(() => [{ fail: "server_error" }], "failing");
  const last = scriptedModel(() => "at last", "last");
  const open = (agent: Partial<Parameters<typeof defineAgent>[0]>) =>
    createRuntime({
      env,
      store: createMemoryStore({ clock: env.clock }),
      blobs: createMemoryBlobStore(env),
      providers: [
        { id: "a", model: () => failing },
        { id: "b", model: () => last },
      ],
      agents: [defineAgent({ id: "agent", model: "a/one", retryPolicy: { maxAttemptsPerModel: 1 }, ...agent })],
      limits: { closeTimeoutMs: 1 },
    });
  const fallbackModels = [{ provider: "a", model: "two", maxAttempts: 3, backoffMs: 1_000 }, "b/three"];
  const runtime = await open({ fallbackModels });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const outcome = run.outcome();
  for (let time = 0; time < 10; time += 1) await env.advance(2_000);
  expect(await soon(outcome)).toMatchObject({ status: "done", text: "at last" });
  const fact = (await collect(run)).find(({ type }) => type === "model_routed")?.data;
  const chain = ["a/one", "a/two", "a/two", "a/two", "b/three"].map((model) => ({ model }));
  expect(fact).toMatchObject({ candidates: ["a/one", "a/two", "b/three"], chain });
});
