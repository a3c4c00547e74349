import type { StopPolicy } from "@reprise/contracts";
import { defineState } from "@reprise/state";
import { expect, it } from "vitest";
import type { RegistrySet } from "../../src/resolve/registry-set.ts";
import { resolveAgent } from "../../src/resolve/resolve-agent.ts";
import { builder, env, failureOf, model, plugin, resolve, tool } from "./support/world.ts";

const always: StopPolicy = { id: "always", evaluate: () => ({ code: "always_stop" }) };

/** An agent with something of everything. */
function everything(): RegistrySet {
  return builder("t", "u")
    .withPlugin(plugin("p", { hooks: { stepStart: () => [] }, sections: { s: {} }, tools: [tool("brought")] }))
    .withPlugin(plugin("q", { states: [defineState({ path: "q", initial: () => 0, scope: "thread", actions: {} })] }))
    .withStopPolicy(always)
    .withContextPlugins(() => [])
    .withAgent({ id: "helper", model: "m" })
    .withAgent({
      id: "a",
      model: "m",
      plugin_ids: ["p", "q"],
      sections: { s: 1, unclaimed: 2 },
      context_policy: {},
      stop_condition_ids: ["always"],
    })
    .build();
}

it("gives equal agents for equal registries", () => {
  const registries = everything();
  const [one, two] = [resolveAgent(registries, "a", { env }), resolveAgent(registries, "a", { env })];
  // Policies made of conditions are functions made anew.
  const comparable = ({ stopPolicies, ...agent }: typeof one) => ({
    ...agent,
    stops: stopPolicies.map(({ id }) => id),
  });
  expect(comparable(one)).toEqual(comparable(two));
});

it("shares no execution environment between two resolves", () => {
  const registries = everything();
  const [one, two] = [
    resolveAgent(registries, "a", { env }).installed,
    resolveAgent(registries, "a", { env }).installed,
  ];
  expect(one).not.toBe(two);
  for (const part of ["hooks", "scheduled", "effects", "transforms", "states", "tools", "plugins"] as const) {
    expect(one[part], part).not.toBe(two[part]);
  }
});

it("changes nothing in what it reads", () => {
  const registries = everything();
  const before = [registries.agents.get("a"), registries.tools.list(), registries.plugins.list()];
  const copy = structuredClone(registries.agents.get("a")?.spec);
  resolveAgent(registries, "a", { env });
  expect([registries.agents.get("a"), registries.tools.list(), registries.plugins.list()]).toEqual(before);
  expect(registries.agents.get("a")?.spec).toEqual(copy);
});

it("is frozen", () => {
  const agent = resolveAgent(everything(), "a", { env });
  expect([Object.isFrozen(agent), Object.isFrozen(agent.installed), Object.isFrozen(agent.installed.hooks)]).toEqual([
    true,
    true,
    true,
  ]);
});

it.each([
  ["MODEL_NOT_FOUND", { model: "gone" }],
  ["PLUGIN_NOT_FOUND", { plugin_ids: ["p", "gone"] }],
  ["INVALID_PLUGIN_CONFIG", { sections: { strict: "wrong" }, plugin_ids: ["strict"] }],
  ["STOP_POLICY_NOT_FOUND", { stop_condition_ids: ["gone"] }],
  ["INVALID_AGENT_SPEC", { tool_concurrency: { gone: {} } }],
] as const)("%s leaves no part of an agent, and the next resolve is not touched by it", (code, broken) => {
  const registries = builder("t")
    .withPlugin(plugin("p"))
    .withPlugin(plugin("strict", { sections: { strict: { type: "number" } } }))
    .withAgent({ id: "fine", model: "m", plugin_ids: ["p"] })
    .withAgent({ id: "broken", model: "m", ...broken })
    .buildUnchecked();
  const before = resolveAgent(registries, "fine", { env });
  failureOf(() => resolveAgent(registries, "broken", { env }), code, { agent_id: "broken" });
  const after = resolveAgent(registries, "fine", { env });
  expect([after.definition, after.installed, after.tools]).toEqual([before.definition, before.installed, before.tools]);
});

it("lowers max_rounds to a stop policy, after the declared ones and before those by id", () => {
  const spec = {
    max_rounds: 3,
    stop_condition_specs: [{ type: "timeout", seconds: 9 }],
    stop_condition_ids: ["always"],
  };
  const { stopPolicies } = resolve(builder().withStopPolicy(always), spec);
  expect(stopPolicies.map(({ id }) => id)).toEqual(["timeout", "max_rounds", "always"]);
  const input = { elapsedMs: 0, inputTokens: 0, outputTokens: 0, text: "", tools: ["t"], recentTools: [["t"]] };
  const rounds = (step: number) =>
    stopPolicies[1]?.evaluate({ ...input, step, consecutiveErrors: 0, isFinal: false, state: {} })?.code;
  expect([rounds(2), rounds(3)]).toEqual([undefined, "max_rounds_reached"]);
});

it("does not add max_rounds to a declared one", () => {
  const spec = { max_rounds: 3, stop_condition_specs: [{ type: "max_rounds", rounds: 7 }] };
  expect(resolve(builder(), spec).stopPolicies.map(({ id }) => id)).toEqual(["max_rounds"]);
});

it("STOP_POLICY_NOT_FOUND names what there is", () => {
  const building = builder().withStopPolicy(always);
  const spec = { stop_condition_ids: ["alway"] };
  const { message } = failureOf(() => resolve(building, spec), "STOP_POLICY_NOT_FOUND", { agent_id: "a", id: "alway" });
  expect(message).toContain('Did you mean "always"? Register it with withStopPolicy.');
});

const sameTools = () => builder(tool("t", { version: "1" }), tool("u"));

it.each([
  ["prompt", () => resolve(sameTools(), { system_prompt: "other" })],
  ["model", () => resolve(sameTools(), {}, { model: { ...model, id: "other" } })],
  ["plugins", () => resolve(sameTools(), {}, { plugins: [plugin("p")] })],
  ["sections", () => resolve(sameTools(), { sections: { s: 1 } })],
  ["tools", () => resolve(sameTools(), { excluded_tools: ["u"] })],
  ["version of a tool", () => resolve(builder(tool("t", { version: "2" }), tool("u")))],
  [
    "arguments of a tool",
    () => resolve(builder(tool("t", { version: "1" }), tool("u", { inputSchema: { type: "object" } }))),
  ],
])("has another definition with another %s", (_, changed) => {
  expect(changed().definition).not.toBe(resolve(sameTools()).definition);
});

it.each([
  ["the order of tools", () => resolve(builder(tool("u"), tool("t", { version: "1" })))],
  ["the name for people", () => resolve(sameTools(), { name: "Anna" })],
  ["the description of a tool", () => resolve(builder(tool("t", { version: "1", description: "new" }), tool("u")))],
])("has the same definition whatever %s", (_, changed) => {
  expect(changed().definition).toBe(resolve(sameTools()).definition);
});
