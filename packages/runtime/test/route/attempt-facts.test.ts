import type { AgentEvent, EventData, EventType } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { collect, soon } from "../support/wait.ts";

const USED = { promptTokens: 100, completionTokens: 10 };
const USAGE = { prompt_tokens: 100, completion_tokens: 10 };

function dataOf<Type extends EventType>(events: readonly AgentEvent[], type: Type): readonly EventData[Type][] {
  // Of one type, so with the data of that type.
  return events.flatMap((event) => (event.type === type ? [event.data as EventData[Type]] : []));
}

describe("issue 14.8: the facts of an inference", () => {
  it("name the model that answered in place of another, and what each attempt took", async () => {
    const world = createWorld();
    const half = [{ text: "On the one " }, { cut: true }] as const;
    const near = scriptedModel([half, half], "near");
    const far = scriptedModel([[{ text: "hand." }, { usage: USED }]], "far");
    const pricing = { input_per_million: 1, output_per_million: 10 };
    const runtime = await createRuntime({
      ...world,
      providers: [
        { id: "near", model: () => near },
        { id: "far", model: () => far },
      ],
      models: [
        { id: "near/one", provider: "near", model: "one", pricing },
        { id: "far/one", provider: "far", model: "one", pricing },
      ],
      agents: [defineAgent({ id: "agent", model: "near/one", fallbackModels: ["far/one"] })],
      limits: { closeTimeoutMs: 1 },
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const outcome = run.outcome();
    await world.env.advance(5_000);
    expect(await soon(outcome)).toMatchObject({ status: "done", text: "On the one On the one hand." });
    const events = await collect(run);
    expect(dataOf(events, "inference_complete")).toMatchObject([{ model: "far/one" }]);
    const broken = {
      model: "near/one",
      outcome: "failed",
      error: "stream_interrupted",
      usage: { prompt_tokens: expect.any(Number), completion_tokens: 3 },
      estimated: true,
      cost_microcents: expect.any(Number),
      priced: false,
    };
    expect(dataOf(events, "cost_recorded")).toMatchObject([
      { ...broken, attempt: 1 },
      { ...broken, attempt: 2 },
      // The third is the model that was passed over.
      { model: "far/one", attempt: 4, outcome: "succeeded", usage: USAGE, cost_microcents: 20_000, priced: true },
    ]);
    expect(dataOf(events, "model_routed")).toMatchObject([{ requested: "near/one", selected: "far/one" }]);
    const costs = dataOf(events, "cost_recorded").map(({ cost_microcents }) => cost_microcents);
    // What broken attempts are estimated to have cost is part of what the run cost.
    expect(costs.every((cost) => cost > 0)).toBe(true);
    const cost_microcents = costs.reduce((sum, cost) => sum + cost, 0);
    expect(await run.record()).toMatchObject({ cost_microcents, is_unpriced: true });
    expect((await soon(runtime.replay(run.id))).equal).toBe(true);
  });

  it("are there for a model given by value", async () => {
    const { runtime } = await openRuntime({ script: [[{ text: "hi" }, { usage: USED }]] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const events = await collect(run);
    expect(dataOf(events, "model_routed")).toMatchObject([{ requested: "scripted", selected: "scripted" }]);
    expect(dataOf(events, "cost_recorded")).toMatchObject([
      { provider: "scripted", model: "scripted", attempt: 1, usage: USAGE, cost_microcents: 0, priced: false },
    ]);
  });

  it("tell of an attempt that stalled", async () => {
    const { runtime, env } = await openRuntime({
      script: [[{ stall: true }], "hi"],
      limits: { modelIdleTimeoutMs: 1_000 },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const outcome = run.outcome();
    for (let turn = 0; turn < 4; turn += 1) await env.advance(1_000);
    expect(await soon(outcome)).toMatchObject({ status: "done", text: "hi" });
    const costs = dataOf(await collect(run), "cost_recorded");
    expect(costs).toMatchObject([
      { attempt: 1, outcome: "failed", priced: false },
      { attempt: 2, outcome: "succeeded" },
    ]);
  });
});

describe("issue 14.12: stream_error_fallback_threshold", () => {
  it.each([
    [1, ["near", "far"]],
    [2, ["near", "near", "far"]],
    [3, ["near", "near", "near"]],
  ])("%i broken streams of a model have the next one asked", async (threshold, asked) => {
    const world = createWorld();
    const heard: string[] = [];
    const model = (id: string) => () =>
      scriptedModel(() => {
        heard.push(id);
        return id === "near" && heard.length < 3 ? [{ text: "x" }, { cut: true }] : "y";
      }, id);
    const runtime = await createRuntime({
      ...world,
      providers: [
        { id: "near", model: model("near") },
        { id: "far", model: model("far") },
      ],
      agents: [
        defineAgent({
          id: "agent",
          model: "near/one",
          fallbackModels: ["far/one"],
          retryPolicy: { streamErrorFallbackThreshold: threshold },
        }),
      ],
      limits: { closeTimeoutMs: 1 },
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    const outcome = runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
    for (let turn = 0; turn < 4; turn += 1) await world.env.advance(1_000);
    expect(await soon(outcome)).toMatchObject({ status: "done" });
    expect(heard).toEqual(asked);
  });
});
