import { type AgentSpec, PHASES, type Phase, type Plugin, type ToolDescriptor } from "@reprise/contracts";
import type { Json, Path, StateScope } from "@reprise/state";
import type { ResolvedAgent, ResolvedRunPlan } from "./resolved-agent.ts";

/** A plugin as far as a replay has to know it: what it takes part in, and nothing of what it does. */
export interface RecordedPlugin {
  readonly id: string;
  readonly hooks: readonly Phase[];
  readonly states: readonly {
    readonly name: string;
    readonly path: Path;
    readonly scope: StateScope;
    readonly version: number;
  }[];
  readonly scheduled: { readonly [key: string]: Phase };
  readonly effects: readonly string[];
  /** How many changes it makes to every request. */
  readonly transforms: number;
  readonly is_activated: boolean;
  /** Whether it brings tools that come and go. Those an activation had are effects of their own. */
  readonly has_tool_source?: true;
}

/** An agent without its code: its prompt, its tools, and the shape of its plugins. */
export interface RecordedDefinition {
  /** The hash a run pins. */
  readonly definition: string;
  readonly spec: AgentSpec;
  readonly tools: readonly ToolDescriptor[];
  readonly plugins: readonly RecordedPlugin[];
  readonly stop_policies: readonly { readonly id: string; readonly needs_history: boolean }[];
}

/** Agents do not change, and every activation stores what its agent is. Each run has its own agent; what those of one share are the tools. */
const known = new WeakMap<ResolvedAgent["tools"], string>();

/** What an activation works with, as it is stored. The definition of an agent is one text: it is stored once, by its content. */
export function describePlan(plan: ResolvedRunPlan): Json {
  // A spec is made of JSON; its interface hides it.
  if (plan.kind === "backend") return { backend: plan.backend.id, spec: describeSpec(plan.spec) as unknown as Json };
  if (plan.kind === "composed") return { composed: true, spec: describeSpec(plan.spec) as unknown as Json };
  if (plan.kind === "program") {
    // As above. One text, so that it is stored once.
    return JSON.stringify({ program: plan.program.kind, hash: plan.definition, spec: describeSpec(plan.spec) });
  }
  const described = known.get(plan.agent.tools);
  if (described !== undefined) return described;
  const text = JSON.stringify(describeDefinition(plan.agent));
  known.set(plan.agent.tools, text);
  return text;
}

/** Settings of plugins and of the way to a model may hold secrets, and a replay needs none of them. */
function describeSpec({ endpoint: _endpoint, budget: _budget, ...spec }: AgentSpec): AgentSpec {
  return { ...spec, sections: {}, chat_options: {} };
}

function describeDefinition(agent: ResolvedAgent): RecordedDefinition {
  return {
    definition: agent.definition,
    spec: describeSpec(agent.spec),
    tools: [...agent.tools.values()].map(({ descriptor }) => descriptor),
    plugins: agent.installed.plugins.map(describePlugin),
    stop_policies: agent.stopPolicies.map(({ id, needsHistory }) => ({ id, needs_history: needsHistory !== false })),
  };
}

function describePlugin(plugin: Plugin): RecordedPlugin {
  const { id, hooks, states, scheduled, effects, transforms, toolSource, onActivate, onDeactivate } = plugin;
  return {
    id,
    hooks: PHASES.filter((phase) => hooks[phase] !== undefined),
    states: states.map(({ name, path, scope, version }) => ({ name, path, scope, version })),
    scheduled: Object.fromEntries(Object.entries(scheduled).map(([key, { phase }]): [string, Phase] => [key, phase])),
    effects: Object.keys(effects),
    transforms: transforms.length,
    is_activated: onActivate !== undefined || onDeactivate !== undefined,
    ...(toolSource !== undefined && { has_tool_source: true }),
  };
}
