import { type InferenceOverride, overrideInference } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { collect, soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

const overriding = (id: string, ...overrides: readonly InferenceOverride[]) =>
  hookPlugin(id, "before_inference", ({ step }) => (step === 1 ? overrides.map(overrideInference) : []));

it("lets the last one win, field by field, over the agent's own options", async () => {
  const plugins = [
    overriding("a", { temperature: 0.1, max_tokens: 10 }, { top_p: 0.5 }),
    overriding("b", { temperature: 0.9, reasoning_effort: "high" }),
  ];
  const { model } = await playPlugins(plugins, { agent: { chatOptions: { temperature: 1, seed: 7 } } });
  expect(model.requests[0]?.options).toEqual({
    temperature: 0.9,
    max_tokens: 10,
    top_p: 0.5,
    reasoning_effort: "high",
    seed: 7,
  });
  expect(model.requests[1]?.options).toEqual({ temperature: 1, seed: 7 });
});

it("asks another model the runtime knows, for one inference", async () => {
  const [own, other] = [scriptedModel(["own"], "own"), scriptedModel([[{ call: "nothing" }]], "other")];
  const { env, store, blobs } = createWorld();
  const runtime = await createRuntime({
    agents: [defineAgent({ id: "agent", model: own, plugins: [overriding("p", { model: "other" })] })],
    models: [other],
    env,
    store,
    blobs,
  });
  onTestFinished(() => void runtime.close());
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "own" });
  expect([own.requests.length, other.requests.length]).toEqual([1, 1]);
  const asked = (await collect(run)).flatMap((event) =>
    event.type === "inference_complete" ? [event.data.model] : [],
  );
  expect(asked).toEqual(["other", "own"]);
  expect(other.requests[0]?.options).not.toHaveProperty("model");
});

it("fails the run when it names an unknown model", async () => {
  const { failure, model } = await playPlugins([overriding("p", { model: "nowhere" })]);
  expect(failure).toMatchObject({ code: "MODEL_NOT_FOUND", message: expect.stringContaining("nowhere") });
  expect(model.requests).toEqual([]);
});

it("says in the events which plugin contributed what to the request", async () => {
  const { events } = await playPlugins([overriding("a", { temperature: 0 }), overriding("b", { top_p: 1 })]);
  const facts = events.filter(({ type }) => type === "context_resolved");
  const contributions = ["a", "b"].map((plugin) => ({ plugin, action: "override_inference" }));
  expect(facts.map(({ data }) => data)).toEqual([{ contributions }]);
});
