import {
  type Abilities,
  type AgentAbility,
  type Env,
  type InheritedState,
  type LanguageModel,
  type Plugin,
  RepriseError,
  type RunProgram,
} from "@reprise/contracts";
import { ModelHealth } from "../route/model-health.ts";
import { buildRoute } from "./build-route.ts";
import { createCompositeRegistry } from "./composite-registry.ts";
import { lookUpEntry } from "./look-up-agent.ts";
import { lookUpFallbacks } from "./look-up-fallbacks.ts";
import { lookUpModel } from "./look-up-model.ts";
import type { Registry } from "./registry.ts";
import type { AgentEntry, RegistrySet } from "./registry-set.ts";
import { renewAgent, resolveRunPlan, withInheritedPlugins } from "./resolve-agent.ts";
import { unresolvable } from "./resolve-errors.ts";
import type { ResolvedAgent, ResolvedRunPlan } from "./resolved-agent.ts";
import { readRetry } from "./retry.ts";
import { hasToolSources, listSources, withSourcedTools } from "./tool-sources.ts";
import { toolVersion } from "./tool-version.ts";

// A resolved agent never changes, and may have a thousand tools.
const known = new WeakMap<ResolvedAgent, AgentAbility>();

/** What having an agent enables a process to do. */
function abilityOf(env: Env, agent: ResolvedAgent): AgentAbility {
  const told = known.get(agent);
  if (told !== undefined) return told;
  const versions = Array.from(agent.tools, ([id, tool]) => [id, toolVersion(env, tool)] as const);
  const ability = { definition: agent.definition, tools: Object.fromEntries(versions) };
  known.set(agent, ability);
  return ability;
}

/** A plugin that a run has from the run above, which is one of another agent. */
export type InheritedPlugin = Pick<InheritedState, "plugin_id" | "agent_id">;

/** The source of agents for the dispatcher. */
export type AgentSource = Pick<Agents, keyof Agents>;

/**
 * The agents a runtime can run. What an agent resolves to is frozen and holds nothing of any run, so it is kept for as long
 * as the registries are the same. Only its `InstalledPlugins` is made for each run.
 */
export class Agents {
  /** What came first, and what was added to it. */
  #given: readonly [RegistrySet, ...RegistrySet[]];
  #registries: RegistrySet;
  readonly #env: Env;
  readonly #health: ModelHealth;
  readonly #models = new Map<string, LanguageModel>();
  #plans = new Map<string, ResolvedRunPlan>();
  readonly #lent = new Map<string, AgentEntry>();
  readonly #closing = new Set<Plugin>();

  constructor(registries: RegistrySet, env: Env) {
    this.#given = [registries];
    this.#registries = this.#withLent(registries);
    this.#env = env;
    this.#health = new ModelHealth(env.clock);
  }

  get registries(): RegistrySet {
    return this.#registries;
  }

  /**
   * Has others from now on, for activations that begin later; those at work keep what they have. Every agent is resolved before
   * anything changes, so that a mistake changes nothing.
   */
  replace(registries: RegistrySet): void {
    const next = this.#withLent(registries);
    const plans = new Map(next.agents.ids().map((id) => [id, this.#resolveIn(next, id)]));
    this.#given = [registries];
    this.#registries = next;
    this.#plans = plans;
    this.#models.clear();
  }

  /**
   * Has some more from now on. They are resolved with everything there is before anything changes. `REGISTRY_CONFLICT` for an id that
   * is taken.
   */
  add(more: RegistrySet): void {
    for (const id of more.agents.ids()) {
      if (this.#registries.agents.get(id) === undefined) continue;
      throw new RepriseError("REGISTRY_CONFLICT", `An agent with the id ${JSON.stringify(id)} exists already.`, {
        details: { id },
      });
    }
    const given = [...this.#given, more] as const;
    const next = this.#withLent(combine(given));
    const plans = more.agents.ids().map((id) => [id, this.#resolveIn(next, id)] as const);
    this.#given = given;
    this.#registries = next;
    for (const [id, plan] of plans) this.#plans.set(id, plan);
  }

  /** Knows an agent for a while, for runs of this process alone; returns the way to forget it. */
  lend(entry: AgentEntry): () => void {
    const { id } = entry.spec;
    this.#lent.set(id, entry);
    this.#plans.delete(id);
    return () => {
      // Lent again meanwhile, it is another's to forget.
      if (this.#lent.get(id) !== entry) return;
      this.#lent.delete(id);
      this.#plans.delete(id);
    };
  }

  /** Refuses an agent that is not registered. */
  assertKnown(id: string): void {
    lookUpEntry(this.registries, id);
  }

  /** How runs of an agent are executed. */
  plan(id: string): ResolvedRunPlan {
    const known = this.#plans.get(id);
    if (known !== undefined) return known;
    this.assertKnown(id);
    const plan = this.#resolveIn(this.registries, id);
    this.#plans.set(id, plan);
    return plan;
  }

  /** The same for one activation: with an `InstalledPlugins` that no other has, and with the plugins that its run has from the run above. */
  planRun(id: string, inherited: readonly InheritedPlugin[] = []): ResolvedRunPlan {
    const plan = this.plan(id);
    if (plan.kind !== "local") return plan;
    const agent = renewAgent(this.registries, plan.agent, { env: this.#env });
    const own = new Set(agent.installed.plugins.map((plugin) => plugin.id));
    const more = inherited
      .filter(({ plugin_id }) => !own.has(plugin_id))
      .map((from) => this.#inheritedPlugin(id, from));
    return { kind: "local", agent: more.length === 0 ? agent : withInheritedPlugins(agent, more) };
  }

  /** A run must not do without a rule that the run above has: a plugin that is gone fails it. */
  #inheritedPlugin(id: string, { plugin_id, agent_id }: InheritedPlugin): Plugin {
    const plan = this.plan(agent_id);
    const plugins = plan.kind === "local" ? plan.agent.installed.plugins : [];
    const found = plugins.find((plugin) => plugin.id === plugin_id);
    if (found !== undefined) return found;
    const problem = `a run of it has the plugin ${plugin_id} from agent ${agent_id}, which no longer has that plugin.`;
    throw unresolvable("PLUGIN_NOT_FOUND", id, problem, { plugin: plugin_id });
  }

  /** The same for people and user interfaces: with the tools that the agent's sources list now. */
  describedPlan(id: string, tenant: string): ResolvedRunPlan {
    const plan = this.plan(id);
    if (plan.kind !== "local" || !hasToolSources(plan.agent)) return plan;
    const sourced = listSources(plan.agent, tenant);
    return { kind: "local", agent: withSourcedTools(plan.agent, sourced, () => undefined) };
  }

  /** A program by its kind: registered, or given to an agent by value. */
  program(kind: string): RunProgram | undefined {
    const { programs, agents } = this.registries;
    return programs.get(kind) ?? agents.list().find(({ program }) => program?.kind === kind)?.program;
  }

  /** The plugins that hold something until the runtime closes. */
  get closing(): Iterable<Plugin> {
    return this.#closing;
  }

  /** What this process can run. An agent that cannot be resolved, it cannot. */
  abilities(): Abilities {
    const ids = [...this.registries.agents.ids(), ...this.#lent.keys()];
    return Object.fromEntries(ids.flatMap((id) => this.#abilityFor(id)));
  }

  #abilityFor(id: string): readonly (readonly [string, AgentAbility])[] {
    try {
      const plan = this.plan(id);
      if (plan.kind === "local") return [[id, abilityOf(this.#env, plan.agent)]];
      return [[id, { tools: {}, ...(plan.kind === "program" && { definition: plan.definition }) }]];
    } catch {
      // A request for a run of it gets the reason.
      return [];
    }
  }

  /** An agent that runs here, with the tools that its sources list now. */
  resolve(id: string, tenant: string): ResolvedAgent {
    const plan = this.describedPlan(id, tenant);
    if (plan.kind === "local") return plan.agent;
    throw notLocal(plan, id);
  }

  /** A model by its id, for an inference that wants another one than its agent's; with those that stand in for it. */
  model(agentId: string, modelId: string, fallbackIds?: readonly string[]): LanguageModel {
    const { spec } = lookUpEntry(this.registries, agentId);
    const key = JSON.stringify([agentId, modelId, fallbackIds ?? null]);
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const route = {
      primary: lookUpModel(this.registries, agentId, modelId),
      fallbacks:
        fallbackIds === undefined
          ? lookUpFallbacks(this.registries, spec)
          : fallbackIds.map((id) => lookUpModel(this.registries, agentId, id)),
      retry: readRetry(spec),
    };
    const model = buildRoute(route, { env: this.#env, health: this.#health });
    this.#models.set(key, model);
    return model;
  }

  #resolveIn(registries: RegistrySet, id: string): ResolvedRunPlan {
    const plan = resolveRunPlan(registries, id, { env: this.#env, health: this.#health });
    if (plan.kind === "local") {
      for (const plugin of plan.agent.installed.plugins) if (plugin.close !== undefined) this.#closing.add(plugin);
      for (const { message, ...details } of plan.agent.warnings) this.#env.log("warn", message, details);
    }
    return plan;
  }

  #withLent(registries: RegistrySet): RegistrySet {
    // Found by their ids, and in no list.
    const lent: Registry<AgentEntry> = { get: (id) => this.#lent.get(id), ids: () => [], list: () => [] };
    return { ...registries, agents: createCompositeRegistry([registries.agents, lent]) };
  }
}

/** The error for an agent that has no model, tools and plugins here. */
export function notLocal({ kind }: Exclude<ResolvedRunPlan, { kind: "local" }>, id: string): RepriseError {
  const why = {
    backend: "has an endpoint and runs remotely",
    composed: "is made of other agents and has no tools of its own",
    program: "is run by a program and has no tools of its own",
  }[kind];
  return new RepriseError("REMOTE_AGENT_NOT_DIRECTLY_RUNNABLE", `Agent ${id} ${why}.`, { details: { agent_id: id } });
}

/** Several sets as one. For an id that more than one knows the first is asked. */
function combine(sets: readonly [RegistrySet, ...RegistrySet[]]): RegistrySet {
  const [first] = sets;
  return {
    ...first,
    agents: createCompositeRegistry(sets.map(({ agents }) => agents)),
    tools: createCompositeRegistry(sets.map(({ tools }) => tools)),
    models: createCompositeRegistry(sets.map(({ models }) => models)),
    providers: createCompositeRegistry(sets.map(({ providers }) => providers)),
    plugins: createCompositeRegistry(sets.map(({ plugins }) => plugins)),
    stopPolicies: createCompositeRegistry(sets.map(({ stopPolicies }) => stopPolicies)),
    backends: createCompositeRegistry(sets.map(({ backends }) => backends)),
    programs: createCompositeRegistry(sets.map(({ programs }) => programs)),
  };
}
