import {
  type AgentSpec,
  canonicalJson,
  type Env,
  type Plugin,
  type StopConditionSpec,
  type StopPolicy,
  type Tool,
} from "@reprise/contracts";
import { ModelHealth } from "../route/model-health.ts";
import { stopPolicyOf } from "../stop/stop-policy-of.ts";
import { buildRoute, type RoutePlan } from "./build-route.ts";
import { checkComposition } from "./check-composition.ts";
import { checkGenerative } from "./check-generative.ts";
import { readContextWindow } from "./context-window.ts";
import { findBackend, isRemote } from "./find-backend.ts";
import { findProgram } from "./find-program.ts";
import { installPlugins, renewPlugins } from "./installed-plugins.ts";
import { lookUpAgent, lookUpEntry } from "./look-up-agent.ts";
import { runPluginPipeline } from "./plugin-pipeline.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import { missing } from "./resolve-errors.ts";
import type { ResolvedAgent, ResolvedRunPlan } from "./resolved-agent.ts";
import { runToolPipeline } from "./tool-pipeline.ts";
import { toolVersion } from "./tool-version.ts";

interface DefinitionParts {
  readonly spec: AgentSpec;
  readonly modelId: string;
  readonly plugins: readonly Plugin[];
  readonly tools: ReadonlyMap<string, Tool>;
}

/** What an agent is, as one hash: a run that resumes under another has to notice. */
function definitionHash(env: Env, { spec, modelId, plugins, tools }: DefinitionParts): string {
  const signatures: string[] = [];
  for (const tool of tools.values()) signatures.push(signatureOf(env, tool));
  const rest = canonicalJson([spec.system_prompt, modelId, plugins.map(pluginName), spec.sections]);
  return env.hash(`${rest}${JSON.stringify(signatures.sort())}`);
}

/** A plugin's id with the versions of its states, where there has been more than one. */
function pluginName({ id, states }: Plugin): string {
  const versions = states.filter(({ version }) => version > 1).map(({ name, version }) => ` ${name}@${version}`);
  return `${id}${versions.join("")}`;
}

// A tool never changes, and an agent may have a thousand.
const signatures = new WeakMap<Tool, string>();

/** A tool's id with its version. */
function signatureOf(env: Env, tool: Tool): string {
  const known = signatures.get(tool);
  if (known !== undefined) return known;
  const signature = JSON.stringify([tool.descriptor.id, toolVersion(env, tool)]);
  signatures.set(tool, signature);
  return signature;
}

export interface ResolveOptions {
  readonly env: Env;
  /** What is known of the models; nothing when absent. */
  readonly health?: ModelHealth;
}

/**
 * Makes an agent ready to run here. Pure: the same registries give the same agent, each time with an `InstalledPlugins` of its
 * own. Throws a typed error at the first thing that does not fit; never answers with a part.
 */
export function resolveAgent(registries: RegistrySet, agentId: string, options: ResolveOptions): ResolvedAgent {
  return finish(assemble(registries, lookUpEntry(registries, agentId)), options);
}

/** The same for a run: an agent with an endpoint is left to its backend, which knows its model, plugins and tools. */
export function resolveRunPlan(registries: RegistrySet, agentId: string, options: ResolveOptions): ResolvedRunPlan {
  const entry = lookUpEntry(registries, agentId);
  const { spec } = entry;
  if (isRemote(spec)) return { kind: "backend", spec, backend: findBackend(registries, spec) };
  if (spec.compose !== undefined) {
    checkComposition(registries, spec);
    return { kind: "composed", spec };
  }
  if (spec.program !== undefined) {
    const program = findProgram(registries, entry, spec.program);
    return { kind: "program", spec, program, definition: options.env.hash(canonicalJson(spec.program.definition)) };
  }
  return { kind: "local", agent: finish(assemble(registries, entry), options) };
}

/**
 * The same agent for one more run, with an `InstalledPlugins` of its own. What follows from the registries alone is kept; the plugins of a
 * context policy are made anew, and with them whatever depends on plugins.
 */
export function renewAgent(registries: RegistrySet, agent: ResolvedAgent, { env }: ResolveOptions): ResolvedAgent {
  const { spec, model, modelSpec } = agent;
  if (spec.context_policy === undefined || registries.contextPlugins === undefined) {
    return Object.freeze({ ...agent, installed: renewPlugins(agent.installed) });
  }
  const entry = lookUpEntry(registries, spec.id);
  const plugins = runPluginPipeline(registries, entry);
  const { tools, warnings } = runToolPipeline(registries, entry, plugins.installed);
  const modelId = modelSpec?.id ?? model.id;
  return Object.freeze({
    ...agent,
    installed: plugins.installed,
    tools,
    warnings: [...plugins.warnings, ...warnings],
    definition: definitionHash(env, { spec, tools, modelId, plugins: plugins.installed.plugins }),
  });
}

// Runs below are many, and mostly have the same plugins from above.
const extended = new WeakMap<
  ResolvedAgent["tools"],
  { readonly by: readonly Plugin[]; readonly agent: ResolvedAgent }
>();

/** An agent with plugins that it does not name: they take part with their hooks and states, not with their tools. */
export function withInheritedPlugins(agent: ResolvedAgent, inherited: readonly Plugin[]): ResolvedAgent {
  const { spec, tools, installed } = agent;
  const known = extended.get(tools);
  if (known?.by.length === inherited.length && known.by.every((plugin, index) => plugin === inherited[index])) {
    return Object.freeze({ ...known.agent, installed: renewPlugins(known.agent.installed) });
  }
  const more = inherited.map(({ toolSource: _, ...plugin }): Plugin => ({ ...plugin, tools: [] }));
  const all = installPlugins(spec, [...installed.plugins, ...more]);
  // Another map: what is known about the tools of an agent says which plugins it has.
  const made = Object.freeze({ ...agent, tools: new Map(tools), installed: all });
  extended.set(tools, { by: inherited, agent: made });
  return made;
}

/** Does everything resolving does that can fail, and keeps nothing. */
export function dryResolve(registries: RegistrySet, agentId: string): void {
  const entry = lookUpEntry(registries, agentId);
  if (isRemote(entry.spec)) findBackend(registries, entry.spec);
  else if (entry.spec.compose !== undefined) checkComposition(registries, entry.spec);
  else if (entry.spec.program !== undefined) findProgram(registries, entry, entry.spec.program);
  else assemble(registries, entry);
}

interface Assembled extends Omit<ResolvedAgent, "definition" | "model" | "modelSpec" | "patienceMs"> {
  readonly route: RoutePlan;
}

/** The three stages, in order. */
function assemble(registries: RegistrySet, entry: AgentEntry): Assembled {
  const { spec } = entry;
  const { entry: _, fallbacks, retry, ...primary } = lookUpAgent(registries, entry);
  const plugins = runPluginPipeline(registries, entry);
  const tools = runToolPipeline(registries, entry, plugins.installed);
  // Read again for every request, because a plugin may choose another model; here, so that what is wrong shows at the start.
  readContextWindow(spec, primary.modelSpec);
  if (primary.media !== undefined && primary.modelSpec !== undefined) checkGenerative(spec, primary.modelSpec);
  return {
    spec,
    route: { primary, fallbacks, retry },
    installed: plugins.installed,
    tools: tools.tools,
    stopPolicies: resolveStopPolicies(registries, spec),
    warnings: [...plugins.warnings, ...tools.warnings],
  };
}

/** What needs an `Env`, and cannot fail. */
function finish(
  { route, ...agent }: Assembled,
  { env, health = new ModelHealth(env.clock) }: ResolveOptions,
): ResolvedAgent {
  const { spec, tools } = agent;
  const { modelSpec, model, media } = route.primary;
  const { streamLimits, patienceMs } = route.retry;
  return Object.freeze({
    ...agent,
    model: buildRoute(route, { env, health }),
    ...(modelSpec !== undefined && { modelSpec }),
    ...(media !== undefined && { media }),
    ...(streamLimits !== undefined && { streamLimits }),
    patienceMs,
    definition: definitionHash(env, {
      spec,
      tools,
      modelId: modelSpec?.id ?? model.id,
      plugins: agent.installed.plugins,
    }),
  });
}

/** When the runs of an agent stop: its declared conditions, `max_rounds` unless one of them says it, its own policies. */
function resolveStopPolicies({ stopPolicies }: RegistrySet, spec: AgentSpec): readonly StopPolicy[] {
  const own = spec.stop_condition_ids.map((id) => {
    const policy = stopPolicies.get(id);
    if (policy !== undefined) return policy;
    const remedy = "Register it with withStopPolicy.";
    const known = stopPolicies.ids();
    throw missing({ code: "STOP_POLICY_NOT_FOUND", agentId: spec.id, what: "stop policy", id, known, remedy });
  });
  return [...lowerMaxRounds(spec).map(stopPolicyOf), ...own];
}

function lowerMaxRounds({ stop_condition_specs, max_rounds }: AgentSpec): readonly StopConditionSpec[] {
  if (stop_condition_specs.some(({ type }) => type === "max_rounds")) return stop_condition_specs;
  return [...stop_condition_specs, { type: "max_rounds", rounds: max_rounds }];
}
