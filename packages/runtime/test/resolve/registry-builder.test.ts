import type { ExecutionBackend, StopPolicy } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { expect, it } from "vitest";
import { createRegistryBuilder } from "../../src/resolve/registry-builder.ts";
import type { RemoteAgentSource } from "../../src/resolve/remote-agents.ts";
import { resolveAgent, resolveRunPlan } from "../../src/resolve/resolve-agent.ts";
import { builder, env, failureOf, model, plugin, tool } from "./support/world.ts";

const policy: StopPolicy = { id: "s", evaluate: () => undefined };
const backend: ExecutionBackend = { id: "a2a", check: () => undefined, run: () => Promise.reject(new Error("no")) };

it("collects every problem, throws none before the build, and then all of them", () => {
  const building = createRegistryBuilder()
    .withTool(tool("t"))
    .withTool(tool("t"))
    .withModel({ id: "m", provider: "p", model: "x", context_window: 0 })
    .withModel(scriptedModel([], "n"))
    .withModel(scriptedModel([], "n"))
    .withProvider({ id: "p", model: () => model })
    .withProvider({ id: "p", model: () => model })
    .withPlugin(plugin("stop_policy"))
    .withPlugin(plugin("q"))
    .withPlugin(plugin("q"))
    .withStopPolicy(policy)
    .withStopPolicy({ ...policy })
    .withBackend(backend)
    .withBackend({ ...backend })
    .withAgents([{ id: "a", model: "n" }, { id: "a", model: "n" }, { id: "b", max_rounds: 0 }, 7])
    .withContextPlugins(() => [])
    .withContextPlugins(() => []);
  const { message, details } = failureOf(() => building.build(), "BUILD_FAILED");
  expect(details.problems).toEqual([
    { code: "REGISTRY_CONFLICT", registry: "tools", id: "t", message: 'Two tools have the id "t".' },
    expect.objectContaining({ code: "INVALID_DEFINITION", registry: "models", id: "m" }),
    { code: "REGISTRY_CONFLICT", registry: "models", id: "n", message: 'Two models have the id "n".' },
    { code: "REGISTRY_CONFLICT", registry: "providers", id: "p", message: 'Two providers have the id "p".' },
    expect.objectContaining({ code: "PLUGIN_CONFLICT", registry: "plugins", id: "stop_policy" }),
    { code: "REGISTRY_CONFLICT", registry: "plugins", id: "q", message: 'Two plugins have the id "q".' },
    expect.objectContaining({ code: "REGISTRY_CONFLICT", registry: "stop policies", id: "s" }),
    expect.objectContaining({ code: "REGISTRY_CONFLICT", registry: "backends", id: "a2a" }),
    { code: "REGISTRY_CONFLICT", registry: "agents", id: "a", message: 'Two agents have the id "a".' },
    expect.objectContaining({ code: "INVALID_AGENT_SPEC", registry: "agents", id: "b" }),
    expect.objectContaining({ code: "INVALID_AGENT_SPEC", registry: "agents" }),
    expect.objectContaining({ code: "REGISTRY_CONFLICT", registry: "plugins" }),
  ]);
  expect(message).toContain('Two tools have the id "t".');
});

it("takes the same thing twice for once", () => {
  const [same, also] = [tool("t"), plugin("p")];
  const building = builder(same, same).withModel(model).withPlugin(also).withPlugin(also);
  building.withStopPolicy(policy).withStopPolicy(policy).withBackend(backend).withBackend(backend);
  const registries = building.build();
  expect([registries.tools.ids(), registries.plugins.ids(), registries.models.ids()]).toEqual([["t"], ["p"], ["m"]]);
});

it("resolves every agent before it lets any run, and reports all that cannot", () => {
  const building = builder()
    .withAgent({ id: "fine", model: "m" })
    .withAgent({ id: "modelless", model: "gone" })
    .withAgent({ id: "pluginless", model: "m", plugin_ids: ["gone"] })
    .withAgent({ id: "far", endpoint: "https://far.test" })
    .withAgent(
      { id: "wild", model: "m", tool_concurrency: { wipe: {} } },
      { tools: [tool("wipe", { destructive: true })] },
    );
  const { message, details } = failureOf(() => building.build(), "VALIDATION_FAILED");
  expect(details.failures).toEqual([
    { agent_id: "modelless", code: "MODEL_NOT_FOUND", message: expect.stringContaining('"gone"') },
    { agent_id: "pluginless", code: "PLUGIN_NOT_FOUND", message: expect.stringContaining('"gone"') },
    { agent_id: "far", code: "UNSUPPORTED_REMOTE_BACKEND", message: expect.stringContaining('"a2a"') },
    { agent_id: "wild", code: "INVALID_AGENT_SPEC", message: expect.stringContaining("destructive") },
  ]);
  expect(message).toMatch(/^4 of the agents cannot be resolved:\n/);
});

it("does not resolve anything when it is asked not to, but still reports what it could not register", () => {
  const incomplete = builder().withAgent({ id: "a", model: "later" });
  expect(incomplete.buildUnchecked().agents.ids()).toEqual(["a"]);
  failureOf(() => incomplete.withTool(tool("t")).withTool(tool("t")).buildUnchecked(), "BUILD_FAILED");
});

it("keeps what it built apart from what it is given later", () => {
  const building = builder("t");
  const registries = building.build();
  building.withTool(tool("u"));
  expect([registries.tools.ids(), building.build().tools.ids()]).toEqual([["t"], ["t", "u"]]);
});

function source(id: string, ...agents: readonly unknown[]): RemoteAgentSource {
  return { id, discover: async () => agents };
}

const far = (id: string, host: string) => ({ id, endpoint: `https://${host}.test` });

it("joins what remote sources know: local before remote, the first source before the second", async () => {
  const registries = await builder()
    .withBackend(backend)
    .withAgent({ id: "a", model: "m" })
    .withRemoteAgents(source("one", far("a", "one"), far("b", "one")))
    .withRemoteAgents(source("two", far("b", "two"), far("c", "two")))
    .buildAndDiscover();
  expect(registries.agents.ids()).toEqual(["a", "b", "c"]);
  expect(resolveAgent(registries, "a", { env }).spec).not.toHaveProperty("endpoint");
  expect(resolveRunPlan(registries, "b", { env })).toMatchObject({ spec: { endpoint: { url: "https://one.test" } } });
});

it("DISCOVERY_FAILED names every source that failed and why", async () => {
  const away: RemoteAgentSource = { id: "away", discover: () => Promise.reject(new Error("no answer")) };
  const building = builder()
    .withBackend(backend)
    .withRemoteAgents(source("fine", far("b", "one")))
    .withRemoteAgents(away);
  building.withRemoteAgents(source("odd", { id: "c", endpint: "x" }));
  await expect(building.buildAndDiscover()).rejects.toMatchObject({
    code: "DISCOVERY_FAILED",
    message: expect.stringMatching(/from away \(no answer\), odd \(.*endpint.*\)\.$/),
    details: { sources: ["away", "odd"] },
  });
});

it("DISCOVERY_FAILED for a remote agent that would run here, and for two with one id", async () => {
  const discover = (...agents: readonly unknown[]) =>
    builder()
      .withRemoteAgents(source("s", ...agents))
      .buildAndDiscover();
  await expect(discover({ id: "x", model: "m" })).rejects.toMatchObject({
    code: "DISCOVERY_FAILED",
    message: expect.stringContaining("x has no endpoint"),
  });
  await expect(discover(far("x", "one"), far("x", "two"))).rejects.toMatchObject({ code: "DISCOVERY_FAILED" });
});

it("hands the signal to the sources", async () => {
  const { signal } = new AbortController();
  let handed: AbortSignal | undefined;
  const listening: RemoteAgentSource = {
    id: "s",
    discover: async (given) => {
      handed = given;
      return [];
    },
  };
  await builder().withRemoteAgents(listening).buildAndDiscover(signal);
  expect(handed).toBe(signal);
});

it("VALIDATION_FAILED also for what was discovered", async () => {
  const building = builder().withRemoteAgents(source("s", far("b", "one")));
  await expect(building.buildAndDiscover()).rejects.toMatchObject({
    code: "VALIDATION_FAILED",
    details: { failures: [{ agent_id: "b", code: "UNSUPPORTED_REMOTE_BACKEND" }] },
  });
});

it("asks no source when something could not be registered", async () => {
  let asked = 0;
  const counting: RemoteAgentSource = {
    id: "s",
    discover: async () => {
      asked++;
      return [];
    },
  };
  await expect(builder("t", "t").withRemoteAgents(counting).buildAndDiscover()).rejects.toMatchObject({
    code: "BUILD_FAILED",
  });
  expect(asked).toBe(0);
});

it("does not leave remote agents out in silence", () => {
  const building = builder().withRemoteAgents(source("s"));
  const details = { problems: [{ code: "DISCOVERY_FAILED", registry: "remote sources" }] };
  failureOf(() => building.build(), "BUILD_FAILED", details);
});
