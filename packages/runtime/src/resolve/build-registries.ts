import type { ExecutionBackend, ModelProvider, Plugin, RunProgram, StopPolicy, Tool } from "@reprise/contracts";
import type { KeysOf } from "../define/assert-known-keys.ts";
import type { Agent } from "../define/define-agent.ts";
import { createRegistryBuilder, type RegistryBuilder } from "./registry-builder.ts";
import type { ContextPluginFactory, GivenModel, RegistrySet } from "./registry-set.ts";

/** What a runtime is given to run, as lists. */
export interface Definitions<Known extends Agent = Agent> {
  readonly agents?: readonly Known[];
  /** Tools for every agent whose lists allow them. */
  readonly tools?: readonly Tool[];
  /** Models that agents name by id: themselves, as data that names a provider, or several in a pool. */
  readonly models?: readonly GivenModel[];
  readonly providers?: readonly ModelProvider[];
  /** Plugins that agents name by id. */
  readonly plugins?: readonly Plugin[];
  readonly stopPolicies?: readonly StopPolicy[];
  readonly backends?: readonly ExecutionBackend[];
  /** Programs for agents that are run by one, such as workflows. */
  readonly programs?: readonly RunProgram[];
  readonly contextPlugins?: ContextPluginFactory;
}

/** What there is to define. */
export const DEFINITION_KEYS: KeysOf<Definitions> = {
  agents: true,
  tools: true,
  models: true,
  providers: true,
  plugins: true,
  stopPolicies: true,
  backends: true,
  programs: true,
  contextPlugins: true,
};

/** Registers lists of definitions and checks every agent; throws with everything that is wrong. */
export function buildRegistries(definitions: Definitions): RegistrySet {
  return register(definitions).build();
}

/** The same for agents that are complete only together with what there is already. */
export function buildAddition(definitions: Definitions): RegistrySet {
  return register(definitions).buildUnchecked();
}

function register(definitions: Definitions): RegistryBuilder {
  const builder = createRegistryBuilder();
  for (const agent of withParts(definitions.agents ?? [])) {
    const { spec, tools, plugins, model, program, stopPolicies } = agent;
    const given = { ...(model !== undefined && { model }), ...(program !== undefined && { program }) };
    builder.withAgent(spec, { tools, plugins, ...given });
    for (const policy of stopPolicies) builder.withStopPolicy(policy);
  }
  for (const tool of definitions.tools ?? []) builder.withTool(tool);
  for (const model of definitions.models ?? []) builder.withModel(model);
  for (const provider of definitions.providers ?? []) builder.withProvider(provider);
  for (const plugin of definitions.plugins ?? []) builder.withPlugin(plugin);
  for (const policy of definitions.stopPolicies ?? []) builder.withStopPolicy(policy);
  for (const backend of definitions.backends ?? []) builder.withBackend(backend);
  for (const program of definitions.programs ?? []) builder.withProgram(program);
  if (definitions.contextPlugins !== undefined) builder.withContextPlugins(definitions.contextPlugins);
  return builder;
}

/** Agents as they are given, and those that they are made of, each of these once. */
function withParts(agents: readonly Agent[]): readonly Agent[] {
  const known = new Set(agents);
  // A set that grows while it is walked: parts of parts are found too.
  for (const { parts = [] } of known) for (const part of parts) known.add(part);
  return [...agents, ...[...known].filter((agent) => !agents.includes(agent))];
}
