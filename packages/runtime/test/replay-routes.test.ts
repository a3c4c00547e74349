import { type DecisionVerb, usd } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { deadModel } from "./replay-support/record.ts";
import { createWorld } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";

const look = defineTool({ id: "look", description: "Looks.", class: "read_only", execute: () => "a cat" });
const EQUAL = expect.objectContaining({ equal: true });

/** A runtime whose models are found by their ids, have prices, and stand in for each other. */
async function openPriced(world: ReturnType<typeof createWorld>, models: { first: unknown; second: unknown }) {
  const { first, second } = models;
  const price = { input_per_million: 10, output_per_million: 10 };
  const spec = (id: string) => ({ id, provider: id, model: id, max_output_tokens: 200, pricing: price });
  const retryPolicy = { maxAttemptsPerModel: 1 };
  const agent = defineAgent({ id: "agent", model: "first", fallbackModels: ["second"], tools: [look], retryPolicy });
  const runtime = await createRuntime({
    ...world,
    providers: [
      { id: "first", model: () => first as never },
      { id: "second", model: () => second as never },
    ],
    models: [spec("first"), spec("second")],
    agents: [agent],
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}

async function play(scripts: { first: Script; second: Script }, verb?: DecisionVerb) {
  const world = createWorld();
  const runtime = await openPriced(world, {
    first: scriptedModel(scripts.first),
    second: scriptedModel(scripts.second),
  });
  const budget = { limitMicrocents: usd(0.008), onExceeded: "pause" } as const;
  const run = await runtime.start({
    agent: "agent",
    threadId: "t1",
    input: "go",
    ...(verb !== undefined && { budget }),
  });
  const first = await soon(run.outcome());
  if (verb !== undefined) {
    expect(first.status).toBe("waiting");
    const [open] = await runtime.decisions.list({ threadId: "t1" });
    await runtime.decisions.decide(open?.id ?? "", verb);
  }
  const outcome = await soon(run.outcome());
  const dead = await openPriced(world, { first: deadModel, second: deadModel });
  return { outcome, run, result: await soon(dead.replay(run.id)) };
}

const usage = { usage: { promptTokens: 300, completionTokens: 20 } };

describe("a verified replay", () => {
  it("knows that nobody knew what the model costs", async () => {
    const world = createWorld();
    const open = async (model: unknown) => {
      const runtime = await createRuntime({
        ...world,
        providers: [{ id: "p", model: () => model as never }],
        models: [{ id: "free", provider: "p", model: "m" }],
        agents: [defineAgent({ id: "agent", model: "free" })],
      });
      onTestFinished(() => void runtime.close().catch(() => undefined));
      return runtime;
    };
    const run = await (await open(scriptedModel([[{ text: "hi" }, usage]]))).start({ agent: "agent", input: "go" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", run: { is_unpriced: true } });
    expect(await soon((await open(deadModel)).replay(run.id))).toEqual(EQUAL);
  });

  it("has the model that answered in place of another, and what it cost", async () => {
    const { result, run } = await play({
      first: [[{ fail: "overloaded" }], [{ fail: "overloaded" }]],
      second: [[{ text: "me" }, usage]],
    });
    expect(await run.record()).toMatchObject({ cost_microcents: expect.any(Number) });
    expect(result).toEqual(EQUAL);
  });

  it.each([
    ["granted", { action: "approve" }, "done"],
    ["refused", { action: "deny", reason: "Too dear." }, "done"],
  ] as const)("has a question about money that was %s, and spends nothing", async (_, verb, status) => {
    const scripts = {
      first: [
        [{ call: "look" }, usage],
        [{ text: "A cat." }, usage],
      ] as const,
      second: ["never"],
    };
    const { result, outcome } = await play(scripts, verb);
    expect(outcome.status).toBe(status);
    expect(result).toEqual(EQUAL);
  });
});
