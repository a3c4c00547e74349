import type { Env } from "@reprise/contracts";
import { ModelHealth } from "../route/model-health.ts";
import { buildRoute, type RoutePlan } from "./build-route.ts";
import { checkGenerative } from "./check-generative.ts";
import { readContextWindow } from "./context-window.ts";
import { definitionHash } from "./definition-hash.ts";
import { findBackend, isRemote } from "./find-backend.ts";
import { installPlugins } from "./installed-plugins.ts";
import { lookUpAgent, lookUpEntry } from "./look-up-agent.ts";
import { runPluginPipeline } from "./plugin-pipeline.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import type { ResolvedAgent, ResolvedRunPlan } from "./resolved-agent.ts";
import { resolveStopPolicies } from "./stop-policies.ts";
import { runToolPipeline } from "./tool-pipeline.ts";

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
  return { kind: "local", agent: finish(assemble(registries, entry), options) };
}

/**
 * The same agent for one more run, with an `InstalledPlugins` of its own. What follows from the registries alone is kept; the plugins of a
 * context policy are made anew, and with them whatever depends on plugins.
 */
export function renewAgent(registries: RegistrySet, agent: ResolvedAgent, { env }: ResolveOptions): ResolvedAgent {
  const { spec, model, modelSpec } = agent;
  if (spec.context_policy === undefined || registries.contextPlugins === undefined) {
    return Object.freeze({ ...agent, installed: installPlugins(spec, agent.installed.plugins) });
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

/** Does everything resolving does that can fail, and keeps nothing. */
export function dryResolve(registries: RegistrySet, agentId: string): void {
  const entry = lookUpEntry(registries, agentId);
  if (isRemote(entry.spec)) findBackend(registries, entry.spec);
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
