import type { StopPolicy, StopPolicyInput } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, definePlugin } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { collect, soon } from "../support/wait.ts";
import { call, endless, makeTools, playStop, request } from "./support.ts";

const after = (id: string, steps: number): StopPolicy => ({
  id,
  evaluate: ({ step }) => (step >= steps ? { code: `${id}_says`, detail: `${step}` } : undefined),
});

/** A runtime whose one agent names its policies by id. */
async function openById(stopWhen: readonly string[], stopPolicies: readonly StopPolicy[]) {
  const { env, store, blobs } = createWorld();
  const agent = defineAgent({ id: "agent", model: scriptedModel(endless), tools: makeTools().tools, stopWhen });
  const runtime = await createRuntime({ agents: [agent], stopPolicies, env, store, blobs });
  onTestFinished(() => void runtime.close());
  return runtime;
}

it("stops by a policy given by value", async () => {
  const { stopped, record } = await playStop([after("mine", 3)]);
  expect(stopped).toEqual({ code: "mine_says", detail: "3" });
  expect(record).toMatchObject({ termination_code: "stopped:mine_says", steps: 3 });
});

it("stops by a policy the runtime knows by its id", async () => {
  const runtime = await openById(["mine"], [after("mine", 2), after("other", 1)]);
  expect(await soon(runtime.runToCompletion(request))).toMatchObject({
    termination: { type: "stopped", value: { code: "mine_says" } },
  });
});

it("refuses an agent that names an unknown policy", async () => {
  await expect(openById(["nowhere"], [after("mine", 2)])).rejects.toThrow(/nowhere/);
});

it("hears the first that says so: conditions, then own policies, each in their order", async () => {
  const both = await playStop([after("a", 2), after("b", 2)]);
  expect(both.stopped?.code).toBe("a_says");
  const declared = await playStop([after("a", 2), { type: "max_rounds", rounds: 2 }]);
  expect(declared.stopped?.code).toBe("max_rounds_reached");
});

it("tells a policy what the run has done so far", async () => {
  const seen: StopPolicyInput[] = [];
  const looking: StopPolicy = { id: "looking", evaluate: (input) => void seen.push(input) as undefined };
  const usage = { promptTokens: 5, completionTokens: 2 };
  const script = [[{ text: "First." }, call("a"), call("fail"), { usage }], [call("fail"), { usage }], "done"];
  await playStop([looking], script);
  expect(seen.map(({ state: _, elapsedMs: _elapsed, ...input }) => input)).toEqual([
    {
      ...{ step: 1, inputTokens: 5, outputTokens: 2, text: "First.", tools: ["a", "fail"], isFinal: false },
      ...{ recentTools: [["a", "fail"]], consecutiveErrors: 0 },
    },
    {
      ...{ step: 2, inputTokens: 10, outputTokens: 4, text: "", tools: ["fail"], isFinal: false },
      ...{ recentTools: [["a", "fail"], ["fail"]], consecutiveErrors: 1 },
    },
    {
      ...{ step: 3, inputTokens: 10, outputTokens: 4, text: "done", tools: [], isFinal: true },
      ...{ recentTools: [["a", "fail"], ["fail"]], consecutiveErrors: 1 },
    },
  ]);
});

it("may have another word for a natural end", async () => {
  const policy: StopPolicy = {
    id: "p",
    evaluate: ({ isFinal: is_final }) => (is_final ? { code: "satisfied" } : undefined),
  };
  const { outcome } = await playStop([policy], ["hello"]);
  expect(outcome).toMatchObject({ text: "hello", termination: { type: "stopped", value: { code: "satisfied" } } });
});

it("keeps nothing for a policy that looks at the step alone", async () => {
  const { runtime } = await playStop([{ ...after("p", 2), needsHistory: false }]);
  expect(JSON.stringify(await runtime.threads.state("t1"))).not.toContain("stop_policy");
});

describe("a policy that cannot be asked", () => {
  const broken: StopPolicy = {
    id: "broken",
    evaluate: () => {
      throw new Error("boom");
    },
  };

  it("fails the run, named", async () => {
    const { outcome, run, model } = await playStop([broken]);
    expect(outcome).toMatchObject({ status: "failed", error: "Stop policy broken failed: boom" });
    const error = (await collect(run)).find(({ type }) => type === "error");
    expect(error?.data).toMatchObject({ code: "PLUGIN_FAILED" });
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ["a promise", Promise.resolve(undefined)],
    ["true", true],
    ["a reason without a code", { detail: "x" }],
    ["a text", "enough"],
  ])("fails the run when it answers with %s", async (_, answer) => {
    const policy: StopPolicy = { id: "odd", evaluate: () => answer as never };
    const { outcome } = await playStop([policy]);
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("odd") });
  });
});

describe("the id stop_policy", () => {
  const plugin = definePlugin({ id: "stop_policy" });

  it("cannot be a plugin's, by value, by id or in the registry", async () => {
    await expect(playStop([], endless, { agent: { plugins: [plugin] } })).rejects.toThrow(/stop_policy/);
    await expect(playStop([], endless, { agent: { plugins: ["stop_policy"] } })).rejects.toThrow(/stop_policy/);
    const { env, store, blobs } = createWorld();
    await expect(createRuntime({ plugins: [plugin], env, store, blobs })).rejects.toThrow(/stop_policy/);
  });
});
