import type { ExecutionBackend, LanguageModel, ModelProvider } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { expect, it } from "vitest";
import { createRegistryBuilder } from "../../src/resolve/registry-builder.ts";
import { resolveAgent, resolveRunPlan } from "../../src/resolve/resolve-agent.ts";
import type { ResolvedAgent } from "../../src/resolve/resolved-agent.ts";
import { ModelRoute } from "../../src/route/model-route.ts";
import { builder, env, failureOf, model, resolve } from "./support/world.ts";

const provider: ModelProvider = { id: "p", model: (name) => scriptedModel([], `p/${name}`) };
const backend: ExecutionBackend = {
  id: "a2a",
  check: ({ endpoint }) => (endpoint?.url.startsWith("https:") ? undefined : "only https is spoken here"),
  run: () => Promise.reject(new Error("not run in these tests")),
};

function modelsOf({ model: route }: ResolvedAgent): readonly LanguageModel[] {
  return route instanceof ModelRoute ? route.entries("").map((entry) => entry.model) : [];
}

it("goes from the spec to the model's description, to its provider, to the model", () => {
  const building = createRegistryBuilder()
    .withProvider(provider)
    .withModel({ id: "default", provider: "p", model: "gpt", context_window: 10 });
  const agent = resolve(building, { model: "default" });
  expect(agent.model.id).toBe("default");
  expect(agent.modelSpec).toEqual({ id: "default", provider: "p", model: "gpt", context_window: 10 });
});

it("takes a registered model as it is", () => {
  const agent = resolve(builder());
  expect(modelsOf(agent)).toEqual([model]);
  expect(agent).not.toHaveProperty("modelSpec");
});

it("takes the model given by value before the one the spec names", () => {
  const own = scriptedModel([], "own");
  expect(modelsOf(resolve(createRegistryBuilder(), { model: "nowhere" }, { model: own }))).toEqual([own]);
});

it("AGENT_NOT_FOUND names what there is", () => {
  const registries = builder()
    .withAgents([{ id: "planner" }, { id: "writer" }])
    .buildUnchecked();
  const { message } = failureOf(() => resolveAgent(registries, "planer", { env }), "AGENT_NOT_FOUND", { id: "planer" });
  expect(message).toBe('There is no agent "planer". Known: planner, writer. Did you mean "planner"?');
  failureOf(() => resolveRunPlan(registries, "planer", { env }), "AGENT_NOT_FOUND");
});

it("does not name a thousand agents", () => {
  const specs = Array.from({ length: 1000 }, (_, index) => ({ id: `agent-${index}` }));
  const registries = builder().withAgents(specs).buildUnchecked();
  const { message } = failureOf(() => resolveAgent(registries, "nobody", { env }), "AGENT_NOT_FOUND");
  expect(message).toContain("agent-9 and 990 more.");
});

it("MODEL_NOT_FOUND names the agent, the model, what there is and the remedy", () => {
  const details = { agent_id: "a", id: "gpt" };
  expect(failureOf(() => resolve(builder(), { model: "gpt" }), "MODEL_NOT_FOUND", details).message).toBe(
    'Agent "a" names the model "gpt", which is not registered. Known: m. Register it with withModel.',
  );
});

it("MODEL_NOT_FOUND for an agent that names no model, and for a fallback that is not there", () => {
  failureOf(() => resolve(builder(), { model: undefined }), "MODEL_NOT_FOUND", { agent_id: "a" });
  failureOf(() => resolve(builder(), { fallback_models: ["m", "gone"] }), "MODEL_NOT_FOUND", { id: "gone" });
});

it("MODEL_NOT_FOUND with the cause when the provider cannot give the model", () => {
  const cause = new Error("no such deployment");
  const building = createRegistryBuilder()
    .withModel({ id: "m", provider: "p", model: "gpt" })
    .withProvider({
      id: "p",
      model: () => {
        throw cause;
      },
    });
  expect(failureOf(() => resolve(building), "MODEL_NOT_FOUND", { id: "m", provider: "p" })).toMatchObject({ cause });
});

it("PROVIDER_NOT_FOUND names the model and its provider", () => {
  const building = createRegistryBuilder().withModel({ id: "m", provider: "p", model: "gpt" });
  const { message } = failureOf(() => resolve(building), "PROVIDER_NOT_FOUND", { agent_id: "a", id: "p" });
  expect(message).toContain('"m"');
  expect(message).toContain("withProvider");
});

it("REMOTE_AGENT_NOT_DIRECTLY_RUNNABLE when an agent with an endpoint is to run here", () => {
  const building = builder().withBackend(backend);
  failureOf(() => resolve(building, { endpoint: "https://far.test" }), "REMOTE_AGENT_NOT_DIRECTLY_RUNNABLE", {
    agent_id: "a",
  });
});

it("plans a run of an agent with an endpoint for its backend, without its model, plugins or tools", () => {
  const registries = createRegistryBuilder()
    .withBackend(backend)
    .withAgent({ id: "r", endpoint: "https://far.test", model: "nowhere", plugin_ids: ["gone"] })
    .build();
  const plan = resolveRunPlan(registries, "r", { env });
  expect(plan).toMatchObject({ kind: "backend", spec: { id: "r", endpoint: { url: "https://far.test" } } });
  expect(plan.kind === "backend" && plan.backend).toBe(backend);
});

it("plans a run of a local agent with what resolving gives", () => {
  const registries = builder("t").withAgent({ id: "a", model: "m" }).build();
  const plan = resolveRunPlan(registries, "a", { env });
  const { definition, tools } = resolveAgent(registries, "a", { env });
  expect(plan).toMatchObject({ kind: "local", agent: { definition, tools } });
});

it("UNSUPPORTED_REMOTE_BACKEND names the backend that is missing and those there are", () => {
  const endpoint = { url: "https://far.test", backend: "acp" };
  const registries = builder().withBackend(backend).withAgent({ id: "r", endpoint }).buildUnchecked();
  const run = () => resolveRunPlan(registries, "r", { env });
  expect(failureOf(run, "UNSUPPORTED_REMOTE_BACKEND", { agent_id: "r", id: "acp" }).message).toContain("Known: a2a.");
});

it.each(["not a url", "http://user:password@far.test"])(
  "INVALID_REMOTE_ENDPOINT for %s, which it does not show",
  (url) => {
    const registries = builder().withBackend(backend).withAgent({ id: "r", endpoint: url }).buildUnchecked();
    const { message } = failureOf(() => resolveRunPlan(registries, "r", { env }), "INVALID_REMOTE_ENDPOINT", {
      agent_id: "r",
      backend: "a2a",
    });
    expect(message).not.toContain(url);
    expect(message).not.toContain("password");
  },
);

it("INVALID_REMOTE_ENDPOINT when the backend fails over it", () => {
  const failing: ExecutionBackend = {
    ...backend,
    check: () => {
      throw new TypeError("no port");
    },
  };
  const registries = builder()
    .withBackend(failing)
    .withAgent({ id: "r", endpoint: "https://far.test" })
    .buildUnchecked();
  const { message } = failureOf(() => resolveRunPlan(registries, "r", { env }), "INVALID_REMOTE_ENDPOINT");
  expect(message).toContain("no port");
});
