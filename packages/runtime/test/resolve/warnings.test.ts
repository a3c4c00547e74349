import { expect, it } from "vitest";
import { builder, plugin, resolve, tool, toolIds } from "./support/world.ts";

const claims = { plugins: [plugin("permission", { sections: { permission: {} } })] };

function warningsOf(spec: { readonly [field: string]: unknown }): readonly (readonly [string, string])[] {
  return resolve(builder("bash", "read"), spec, claims).warnings.map(({ kind, subject }) => [kind, subject] as const);
}

it.each([
  ["unmatched_pattern", { excluded_tool_patterns: ["dangerous-*", "ba*"] }, "dangerous-*"],
  ["unmatched_pattern", { allowed_tool_patterns: ["raed*", "*"] }, "raed*"],
  ["star_in_literal", { allowed_tools: ["ba*"] }, "ba*"],
  ["star_in_literal", { excluded_tools: ["*"] }, "*"],
  ["permission_shaped_entry", { allowed_tools: ["bash(npm *)"] }, "bash(npm *)"],
  ["permission_shaped_entry", { excluded_tools: ["bash(rm *)"] }, "bash(rm *)"],
  ["permission_shaped_entry", { allowed_tool_patterns: ["bash(*)"] }, "bash(*)"],
  ["permission_shaped_entry", { excluded_tool_patterns: ["*()"] }, "*()"],
  ["unknown_agent", { allowed_agents: ["nobody"] }, "nobody"],
  ["unknown_agent", { excluded_agents: ["nobody"] }, "nobody"],
] as const)("%s for %j", (kind, spec, subject) => {
  expect(warningsOf(spec)).toEqual([[kind, subject]]);
});

it("unknown_agent for a delegate that there is not, and not for one that there is", () => {
  const unknown = warningsOf({ delegates: ["a", "wrtier"] }).filter(([kind]) => kind === "unknown_agent");
  expect(unknown).toEqual([["unknown_agent", "wrtier"]]);
});

it.each([
  [{ rules: [{ tool: "bash", behavior: "allow" }] }],
  [{ rules: [{ tool_id: "bash" }] }],
  [{ rules: [{ subject: { kind: "tool", tool_id: "bash" }, behavior: "deny" }] }],
  [{ rules: [{ subject: { kind: "pattern", pattern: 'bash(command ~ "npm *")' } }] }],
  [{ rules: [{ subject: "bash" }] }],
  [{ rules: ["bash(npm *)", "bash"] }],
  [[{ tool: "bash" }]],
])("orphan_permission_rule for the tool the catalogue leaves out, in %j", (permission) => {
  expect(warningsOf({ sections: { permission }, excluded_tools: ["bash"] })).toEqual([
    ["orphan_permission_rule", "bash"],
  ]);
});

it.each([
  [{ rules: [{ tool: "read" }] }],
  [{ rules: [{ tool: "b*" }, { tool: "/ba.h/" }, { tool: "ba?h" }, { tool: "*" }] }],
  [{ rules: [{ tool: "nowhere" }] }],
  [{ rules: [null, 7, [], {}, { subject: 7 }, { subject: {} }] }],
  [{ rules: "bash" }],
  ["bash"],
  [null],
])("no orphan for rules about allowed, many or unknown tools, nor for %j", (permission) => {
  expect(warningsOf({ sections: { permission }, excluded_tools: ["bash"] })).toEqual([]);
});

it("counts tools of plugins as tools there are", () => {
  const own = { plugins: [plugin("p", { tools: [tool("recall")] })] };
  expect(resolve(builder(), { excluded_tool_patterns: ["rec*"] }, own).warnings).toEqual([]);
});

it("says nothing of an id that really has a star in it", () => {
  const odd = { ...tool("x"), descriptor: { ...tool("x").descriptor, id: "x*" } };
  const agent = resolve(builder(), { allowed_tools: ["x*"] }, { tools: [odd] });
  expect([toolIds(agent), agent.warnings]).toEqual([["x*"], []]);
});

it("resolves the agent all the same, with every warning", () => {
  const agent = resolve(
    builder("bash", "read"),
    {
      allowed_tools: ["read", "bash(ls)"],
      excluded_tool_patterns: ["nothing*"],
      sections: { permission: { rules: [{ tool: "bash" }] }, typo: 1 },
    },
    claims,
  );
  expect(toolIds(agent)).toEqual(["read"]);
  expect(agent.warnings.map(({ kind }) => kind)).toEqual([
    "unclaimed_section",
    "permission_shaped_entry",
    "unmatched_pattern",
    "orphan_permission_rule",
  ]);
  for (const { agent_id, message } of agent.warnings)
    expect([agent_id, message]).toEqual(["a", expect.stringContaining('"a"')]);
});
