import { definePlugin } from "../../packages/runtime/src/define/define-plugin.ts";
import { defineTool } from "../../packages/runtime/src/define/define-tool.ts";
import { createRegistryBuilder } from "../../packages/runtime/src/resolve/registry-builder.ts";
import type { RegistrySet } from "../../packages/runtime/src/resolve/registry-set.ts";

export const AGENTS = 1_000;
export const TOOLS = 1_000;

/** One agent to resolve, and how many tools it must come to: a resolve that leaves some out is fast and wrong. */
export interface Case {
  readonly name: string;
  readonly spec: { readonly [field: string]: unknown };
  readonly tools: number;
}

const plugins = Array.from({ length: 10 }, (_, index) => `plugin_${index}`);
const levels = Object.fromEntries(plugins.map((id) => [id, { level: 1 }]));

export const CASES: readonly Case[] = [
  { name: "every tool", spec: {}, tools: TOOLS },
  { name: "three tools by name", spec: { allowed_tools: ["tool_1", "tool_500", "tool_999"] }, tools: 3 },
  {
    name: "patterns: two allow, three exclude",
    spec: {
      allowed_tool_patterns: ["tool_*", "*_none_*"],
      excluded_tool_patterns: ["tool_9*", "*77", "*_*_*"],
    },
    tools: TOOLS - 111 - 9,
  },
  { name: "ten plugins with sections", spec: { plugin_ids: plugins, sections: levels }, tools: TOOLS + 10 },
  {
    name: "all of it",
    spec: {
      plugin_ids: plugins,
      sections: { ...levels, permission: { rules: [{ tool: "tool_5" }] }, retry: { max_retries: 2 } },
      excluded_tool_patterns: ["tool_9*", "*77", "*_none_*"],
      stop_condition_specs: [{ type: "timeout", seconds: 60 }],
    },
    tools: TOOLS - 111 - 9 + 10,
  },
];

/** The agent of a case is `case_<its place>`; the others are there to be in the way. */
export function createRegistries(): RegistrySet {
  const builder = createRegistryBuilder().withModel({ id: "m", provider: "p", model: "x" });
  // Never asked: only resolving is measured.
  builder.withProvider({ id: "p", model: (id) => ({ id, stream: () => ({ [Symbol.asyncIterator]: silence }) }) });
  for (let index = 0; index < TOOLS; index++) builder.withTool(makeTool(`tool_${index}`));
  for (const id of plugins) builder.withPlugin(makePlugin(id));
  for (let index = 0; index < AGENTS - CASES.length; index++) builder.withAgent({ id: `agent_${index}`, model: "m" });
  for (const [index, { spec }] of CASES.entries()) builder.withAgent({ id: `case_${index}`, model: "m", ...spec });
  return builder.build();
}

async function* silence(): AsyncGenerator<never> {}

function makeTool(id: string) {
  return defineTool({
    id,
    description: id,
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
    execute: () => id,
  });
}

function makePlugin(id: string) {
  const level = { type: "object", properties: { level: { type: "integer" } }, required: ["level"] };
  return definePlugin({
    id,
    hooks: { beforeInference: () => [], afterToolExecute: () => [] },
    sections: { [id]: level },
    tools: [makeTool(`${id}_tool`)],
  });
}
