import { PHASES } from "@reprise/contracts";
import { defineState } from "@reprise/state";
import { expect, it } from "vitest";
import { builder, failureOf, plugin, resolve, tool } from "./support/world.ts";

const hook = () => [];
const ids = (agent: ReturnType<typeof resolve>) => agent.installed.plugins.map(({ id }) => id);

it("keeps the declared order, then come the runtime's own, then those of the context policy", () => {
  const building = builder()
    .withPlugin(plugin("first"))
    .withPlugin(plugin("second"))
    .withContextPlugins(() => [plugin("compaction"), plugin("window")]);
  const spec = { plugin_ids: ["second", "first"], context_policy: {} };
  expect(ids(resolve(building, spec))).toEqual(["second", "first", "stop_policy", "compaction", "window"]);
});

it("gives every agent the state of the stop policies", () => {
  const { installed } = resolve(builder());
  expect(ids(resolve(builder()))).toEqual(["stop_policy"]);
  expect(installed.states.get("__kernel.stop_policy_runtime")?.scope).toBe("run");
});

it("finds the agent's own plugins first, and adds those that are not named", () => {
  const [own, other, shared] = [plugin("p"), plugin("unnamed"), plugin("p")];
  const building = builder().withPlugin(shared).withPlugin(plugin("q"));
  const agent = resolve(building, { plugin_ids: ["p", "q"] }, { plugins: [other, own] });
  expect(ids(agent)).toEqual(["p", "q", "unnamed", "stop_policy"]);
  expect(agent.installed.plugins[0]).toBe(own);
});

it("makes the context plugins of the policy and the spec", () => {
  const seen: unknown[] = [];
  const building = builder().withContextPlugins((policy, spec) => {
    seen.push(policy, spec.sections);
    return [];
  });
  resolve(building, { context_policy: { max_context_tokens: 5 }, sections: { compaction: {} } });
  expect(seen).toEqual([{ max_context_tokens: 5 }, { compaction: {} }]);
});

it("makes no context plugins without a policy", () => {
  const building = builder().withContextPlugins(() => {
    throw new Error("asked");
  });
  expect(ids(resolve(building))).toEqual(["stop_policy"]);
});

it("PLUGIN_NOT_FOUND for a plugin that is not registered", () => {
  const building = builder().withPlugin(plugin("reminder"));
  const { message } = failureOf(() => resolve(building, { plugin_ids: ["remind"] }), "PLUGIN_NOT_FOUND", {
    agent_id: "a",
    id: "remind",
  });
  expect(message).toContain('Did you mean "reminder"? Register it with withPlugin.');
});

it("takes a context policy that nobody makes plugins for: the runtime truncates by itself", () => {
  expect(ids(resolve(builder(), { context_policy: {} }))).toEqual(["stop_policy"]);
});

it("INVALID_PLUGIN_CONFIG for a context policy the factory refuses", () => {
  const cause = new Error("max_context_tokens is missing");
  const building = builder().withContextPlugins(() => {
    throw cause;
  });
  const failure = failureOf(() => resolve(building, { context_policy: {} }), "INVALID_PLUGIN_CONFIG");
  expect(failure).toMatchObject({ cause });
});

const schema = { type: "object", properties: { level: { type: "integer" } }, additionalProperties: false } as const;
const configured = plugin("p", { sections: { p_settings: schema } });

it("takes a section that fits, and an absent one", () => {
  const building = () => builder().withPlugin(configured);
  const fitting = resolve(building(), { plugin_ids: ["p"], sections: { p_settings: { level: 3 } } });
  expect(fitting.warnings).toEqual([]);
  expect(resolve(building(), { plugin_ids: ["p"] }).warnings).toEqual([]);
});

it("INVALID_PLUGIN_CONFIG names the plugin, the section and what is wrong", () => {
  const spec = { plugin_ids: ["p"], sections: { p_settings: { level: "high" } } };
  const details = { agent_id: "a", plugin: "p", section: "p_settings" };
  const { message } = failureOf(
    () => resolve(builder().withPlugin(configured), spec),
    "INVALID_PLUGIN_CONFIG",
    details,
  );
  expect(message).toContain("/level must be integer");
});

it("INVALID_DEFINITION names the plugin whose schema is none", () => {
  const own = { plugins: [plugin("p", { sections: { s: { type: "nonsense" } } })] };
  failureOf(() => resolve(builder(), { sections: { s: 1 } }, own), "INVALID_DEFINITION", { plugin: "p", section: "s" });
});

it("warns of a section nobody claims, the section of permissions included", () => {
  const sections = { remnider: {}, permission: { rules: [] }, retry: { max_retries: 0 } };
  expect(resolve(builder(), { sections }).warnings).toMatchObject([
    { kind: "unclaimed_section", agent_id: "a", subject: "remnider" },
    { kind: "unclaimed_section", agent_id: "a", subject: "permission" },
  ]);
});

it("has only phases that somebody hooks, each hook with its plugin", () => {
  const building = builder()
    .withPlugin(plugin("p", { hooks: { runStart: hook, beforeInference: hook } }))
    .withPlugin(plugin("q", { hooks: { beforeInference: hook } }));
  expect(resolve(building, { plugin_ids: ["q", "p"] }).installed.hooks).toEqual({
    run_start: [{ plugin: "p", value: hook }],
    before_inference: [
      { plugin: "q", value: hook },
      { plugin: "p", value: hook },
    ],
  });
  expect(resolve(builder()).installed.hooks).toEqual({});
});

it("finds the hooks of every phase", () => {
  const all = {
    runStart: hook,
    stepStart: hook,
    beforeInference: hook,
    afterInference: hook,
    stepEnd: hook,
    beforeToolExecute: hook,
    afterToolExecute: hook,
    runEnd: hook,
  };
  const agent = resolve(builder(), {}, { plugins: [plugin("p", { hooks: all })] });
  expect(Object.keys(agent.installed.hooks)).toEqual([...PHASES]);
});

it("tags transforms, scheduled actions, effects and tools with their plugin", () => {
  const transform = <Value>(request: Value) => request;
  const scheduled = { phase: "step_start", handle: hook } as const;
  const effect = () => undefined;
  const brought = tool("brought");
  const agent = resolve(
    builder(),
    {},
    {
      plugins: [
        plugin("p", {
          transforms: [transform],
          scheduled: { later: scheduled },
          effects: { ring: effect },
          tools: [brought],
          states: [defineState({ path: "mine", initial: () => 0, scope: "thread", actions: {} })],
        }),
      ],
    },
  );
  expect(agent.installed.transforms).toEqual([{ plugin: "p", value: transform }]);
  expect(agent.installed.scheduled.get("later")).toEqual({ plugin: "p", value: scheduled });
  expect(agent.installed.effects.get("ring")).toEqual({ plugin: "p", value: effect });
  expect(agent.installed.tools.get("brought")).toEqual({ plugin: "p", value: brought });
  expect(agent.installed.states.get("mine")?.name).toBe("mine");
});

const state = (path: string) => defineState({ path, initial: () => 0, scope: "thread", actions: {} });
const handler = { phase: "step_start", handle: hook } as const;

it.each([
  ["states", { states: [state("a.b")] }, { states: [state("a")] }],
  ["sections", { sections: { s: {} } }, { sections: { s: {} } }],
  ["scheduled actions", { scheduled: { k: handler } }, { scheduled: { k: handler } }],
  ["effects", { effects: { k: () => undefined } }, { effects: { k: () => undefined } }],
])("PLUGIN_CONFLICT names the two plugins whose %s overlap", (_, left, right) => {
  const own = { plugins: [plugin("one"), plugin("p", left), plugin("q", right)] };
  const details = { agent_id: "a", plugins: ["p", "q"] };
  const { message } = failureOf(() => resolve(builder(), {}, own), "PLUGIN_CONFLICT", details);
  expect(message).toMatch(/\bp and (by )?q\b/);
});

it("lets two plugins share one and the same state", () => {
  const shared = state("shared");
  const own = { plugins: [plugin("p", { states: [shared] }), plugin("q", { states: [shared] })] };
  expect(resolve(builder(), {}, own).installed.states.get("shared")).toBe(shared);
});

it("PLUGIN_CONFLICT for a plugin that would own what is the runtime's", () => {
  const taken = plugin("p", { states: [state("__kernel")] });
  failureOf(() => resolve(builder(), {}, { plugins: [taken] }), "PLUGIN_CONFLICT", { plugins: ["p", "stop_policy"] });
  const claiming = plugin("p", { sections: { retry: {} } });
  failureOf(() => resolve(builder(), {}, { plugins: [claiming] }), "PLUGIN_CONFLICT", { section: "retry" });
});

it("PLUGIN_CONFLICT for a reserved id, named or brought", () => {
  const details = { agent_id: "a", plugin: "stop_policy" };
  const own = { plugins: [plugin("stop_policy")] };
  for (const broken of [() => resolve(builder(), { plugin_ids: ["stop_policy"] }), () => resolve(builder(), {}, own)]) {
    expect(failureOf(broken, "PLUGIN_CONFLICT", details).message).toContain("reserved");
  }
});

it("PLUGIN_CONFLICT for a plugin that is there twice", () => {
  const details = { agent_id: "a", plugin: "p" };
  const twice = { plugin_ids: ["p", "p"] };
  failureOf(() => resolve(builder().withPlugin(plugin("p")), twice), "PLUGIN_CONFLICT", details);
  const own = { plugins: [plugin("p"), plugin("p")] };
  failureOf(() => resolve(builder(), {}, own), "PLUGIN_CONFLICT", details);
  const context = builder().withContextPlugins(() => [plugin("p")]);
  failureOf(() => resolve(context, { context_policy: {} }, { plugins: [plugin("p")] }), "PLUGIN_CONFLICT", details);
});
