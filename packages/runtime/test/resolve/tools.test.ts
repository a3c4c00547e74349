import { expect, it } from "vitest";
import { resolveAgent } from "../../src/resolve/resolve-agent.ts";
import { builder, env, failureOf, plugin, resolve, tool, toolIds } from "./support/world.ts";

it("merges registered tools, the agent's own and those of plugins, in this order", () => {
  const own = { tools: [tool("own")], plugins: [plugin("p", { tools: [tool("brought")] })] };
  expect(toolIds(resolve(builder("global"), {}, own))).toEqual(["global", "own", "brought"]);
});

it("lets each agent have its own tool under the same id", () => {
  const [mine, yours] = [tool("search"), tool("search")];
  const registries = builder()
    .withAgent({ id: "a", model: "m" }, { tools: [mine] })
    .withAgent({ id: "b", model: "m" }, { tools: [yours] })
    .build();
  expect(resolveAgent(registries, "a", { env }).tools.get("search")).toBe(mine);
  expect(resolveAgent(registries, "b", { env }).tools.get("search")).toBe(yours);
});

it("keeps an agent's own tools from other agents", () => {
  const registries = builder("shared")
    .withAgent({ id: "a", model: "m" }, { tools: [tool("secret")] })
    .withAgent({ id: "b", model: "m" })
    .build();
  expect(toolIds(resolveAgent(registries, "b", { env }))).toEqual(["shared"]);
});

it.each([
  ["everything without allow lists", {}, ["fs_read", "fs_write", "search", "own"]],
  ["nothing with an empty list", { allowed_tools: [] }, []],
  ["nothing with empty patterns", { allowed_tool_patterns: [] }, []],
  [
    "names and patterns together",
    { allowed_tools: ["search"], allowed_tool_patterns: ["fs_r*"] },
    ["fs_read", "search"],
  ],
  ["its own tools like all others", { allowed_tools: ["own", "search"] }, ["search", "own"]],
  [
    "nothing excluded, though allowed",
    { allowed_tool_patterns: ["*"], excluded_tools: ["search", "own"] },
    ["fs_read", "fs_write"],
  ],
  ["nothing excluded by a pattern", { excluded_tool_patterns: ["fs_*"] }, ["search", "own"]],
])("the catalogue has %s", (_, spec, expected) => {
  expect(toolIds(resolve(builder("fs_read", "fs_write", "search"), spec, { tools: [tool("own")] }))).toEqual(expected);
});

it("lets tools of plugins past the allow lists but never past an exclusion", () => {
  const own = { plugins: [plugin("p", { tools: [tool("recall"), tool("forget"), tool("x_wipe")] })] };
  const spec = { allowed_tools: [], excluded_tools: ["forget"], excluded_tool_patterns: ["x_*"] };
  expect(toolIds(resolve(builder("global"), spec, own))).toEqual(["recall"]);
});

it("INVALID_AGENT_SPEC for a bad pattern in a spec that was not read", () => {
  const registries = builder().withAgent({ id: "a", model: "m" }).build();
  const entry = registries.agents.get("a");
  if (entry === undefined) throw new Error("not registered");
  const spec = { ...entry.spec, excluded_tool_patterns: ["bad\\"] };
  const agents = { ...registries.agents, get: () => ({ spec }) };
  failureOf(() => resolveAgent({ ...registries, agents }, "a", { env }), "INVALID_AGENT_SPEC", { agent_id: "a" });
});

it.each([
  [
    "the registry and a plugin",
    { plugins: [plugin("p", { tools: [tool("t")] })] },
    ["the tool registry", "the plugin p"],
  ],
  ["the registry and the agent", { tools: [tool("t")] }, ["the tool registry", "the agent a itself"]],
])("TOOL_ID_CONFLICT between %s", (_, own, [source_a, source_b]) => {
  const { message } = failureOf(() => resolve(builder("t"), {}, own), "TOOL_ID_CONFLICT", {
    agent_id: "a",
    tool_id: "t",
    source_a,
    source_b,
  });
  expect(message).toContain(`${source_a} and ${source_b}`);
});

it("TOOL_ID_CONFLICT between two plugins, two own tools", () => {
  const plugins = [plugin("p", { tools: [tool("t")] }), plugin("q", { tools: [tool("t")] })];
  failureOf(() => resolve(builder(), {}, { plugins }), "TOOL_ID_CONFLICT", { source_a: "the plugin p" });
  const tools = [tool("t"), tool("t")];
  failureOf(() => resolve(builder(), {}, { tools }), "TOOL_ID_CONFLICT", { source_b: "the agent a itself" });
});

it("TOOL_ID_CONFLICT also when only the plugin's tool would be allowed", () => {
  const own = { plugins: [plugin("p", { tools: [tool("t")] })] };
  failureOf(() => resolve(builder("t"), { allowed_tools: [] }, own), "TOOL_ID_CONFLICT");
});

it("finds no conflict in one tool that comes from two sides, nor in an id that is excluded", () => {
  const shared = tool("t");
  const twice = { tools: [shared], plugins: [plugin("p", { tools: [shared] })] };
  expect(resolve(builder(shared), {}, twice).tools.get("t")).toBe(shared);
  const own = { plugins: [plugin("p", { tools: [tool("t")] })] };
  expect(toolIds(resolve(builder("t", "u"), { excluded_tools: ["t"] }, own))).toEqual(["u"]);
});

it("loads a spec with lists for plugins that the agent does not have, and warns of each one that is set", () => {
  const fields = { delegates: ["gone"], allowed_skills: [], excluded_skills: [] };
  const { tools, warnings } = resolve(builder("t"), fields);
  expect([...tools.keys()]).toEqual(["t"]);
  expect(warnings.map(({ kind, message }) => [kind, message])).toEqual([
    [
      "setting_without_plugin",
      'The setting `allowed_skills` of agent "a" has no effect: the agent has no plugin "skills".',
    ],
    [
      "setting_without_plugin",
      'The setting `delegates` of agent "a" has no effect: the agent has no plugin "agent_tools".',
    ],
    ["unknown_agent", 'Agent "a": "gone" in `delegates` is the id of no agent. Add the agent, or correct the list.'],
  ]);
});

it("takes a mutating tool that is known to run beside others", () => {
  const agent = resolve(builder("t"), { tool_concurrency: { t: { max: 2 } } });
  expect(agent.spec.tool_concurrency).toEqual({ t: { max: 2 } });
});

it("INVALID_AGENT_SPEC for letting a destructive or an unknown tool run beside others", () => {
  const building = () => builder(tool("wipe", { destructive: true }));
  const spec = (id: string) => ({ tool_concurrency: { [id]: {} } });
  const destructive = failureOf(() => resolve(building(), spec("wipe")), "INVALID_AGENT_SPEC", { tool_id: "wipe" });
  expect(destructive.message).toContain("destructive");
  failureOf(() => resolve(building(), spec("wpie")), "INVALID_AGENT_SPEC", { tool_id: "wpie" });
});
