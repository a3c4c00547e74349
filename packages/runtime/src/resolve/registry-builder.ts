import {
  type ErrorCode,
  type ExecutionBackend,
  type LanguageModel,
  type ModelProvider,
  type Plugin,
  RepriseError,
  type RunProgram,
  type StopPolicy,
  type Tool,
  toRepriseError,
} from "@reprise/contracts";
import { readAgentSpec } from "../spec/read-agent-spec.ts";
import { isModelPool, readModelPool } from "../spec/read-model-pool.ts";
import { readModelSpec } from "../spec/read-model-spec.ts";
import { RESERVED_PLUGIN_IDS } from "./collect-plugins.ts";
import { createCompositeRegistry } from "./composite-registry.ts";
import { type BuildProblem, Registration } from "./registration.ts";
import type { AgentEntry, ContextPluginFactory, OwnParts, RegisteredModel, RegistrySet } from "./registry-set.ts";
import { discoverAgents, type RemoteAgentSource } from "./remote-agents.ts";
import { dryResolve } from "./resolve-agent.ts";

/**
 * Collects what agents are made of. Nothing is refused while it is being collected: what is wrong is reported by the build,
 * all of it at once.
 */
export interface RegistryBuilder {
  /** A spec as people write it, with what the agent is given by value. */
  withAgent(spec: unknown, own?: OwnParts): this;
  withAgents(specs: readonly unknown[]): this;
  /** A tool for every agent whose lists allow it. */
  withTool(tool: Tool): this;
  /** A model as data, the model itself, or a pool of models. */
  withModel(model: unknown): this;
  withProvider(provider: ModelProvider): this;
  withPlugin(plugin: Plugin): this;
  withStopPolicy(policy: StopPolicy): this;
  withBackend(backend: ExecutionBackend): this;
  /** Runs the agents whose spec names a program of this kind. */
  withProgram(program: RunProgram): this;
  /** Agents known elsewhere, asked for by `buildAndDiscover`. One registered here goes before one with the same id there. */
  withRemoteAgents(source: RemoteAgentSource): this;
  /** Makes the plugins of agents with a context policy. */
  withContextPlugins(factory: ContextPluginFactory): this;
  /** Throws `BUILD_FAILED` with what could not be registered, `VALIDATION_FAILED` with the agents that cannot be resolved. */
  build(): RegistrySet;
  /**
   * The same without resolving the agents: for those that will only be complete later. Agents of remote sources are there once
   * `discover` of the set was called.
   */
  buildUnchecked(): RegistrySet;
  /** Asks the remote sources, then builds. Throws `DISCOVERY_FAILED` naming the sources that failed. */
  buildAndDiscover(signal?: AbortSignal): Promise<RegistrySet>;
}

export function createRegistryBuilder(): RegistryBuilder {
  return new CollectingBuilder();
}

class CollectingBuilder implements RegistryBuilder {
  readonly #problems: BuildProblem[] = [];
  readonly #agents = new Registration<AgentEntry>("agents", this.#problems);
  readonly #tools = new Registration<Tool>("tools", this.#problems);
  readonly #models = new Registration<RegisteredModel>("models", this.#problems);
  readonly #providers = new Registration<ModelProvider>("providers", this.#problems);
  readonly #plugins = new Registration<Plugin>("plugins", this.#problems);
  readonly #stopPolicies = new Registration<StopPolicy>("stop policies", this.#problems);
  readonly #backends = new Registration<ExecutionBackend>("backends", this.#problems);
  readonly #programs = new Registration<RunProgram>("programs", this.#problems);
  readonly #sources = new Registration<RemoteAgentSource>("remote sources", this.#problems);
  #contextPlugins: ContextPluginFactory | undefined;

  withAgent(given: unknown, own: OwnParts = {}): this {
    this.#agents.attempt(given, () => {
      const spec = readAgentSpec(given);
      return [spec.id, { ...own, spec }];
    });
    return this;
  }

  withAgents(specs: readonly unknown[]): this {
    for (const spec of specs) this.withAgent(spec);
    return this;
  }

  withTool(tool: Tool): this {
    this.#tools.add(tool.descriptor.id, tool);
    return this;
  }

  withModel(model: unknown): this {
    this.#models.attempt(model, () => {
      const read = isModel(model) ? model : isModelPool(model) ? readModelPool(model) : readModelSpec(model);
      return [read.id, read];
    });
    return this;
  }

  withProvider(provider: ModelProvider): this {
    this.#providers.add(provider.id, provider);
    return this;
  }

  withPlugin(plugin: Plugin): this {
    const { id } = plugin;
    if (RESERVED_PLUGIN_IDS.has(id)) {
      this.#plugins.note("PLUGIN_CONFLICT", `The plugin id ${JSON.stringify(id)} is reserved for the runtime.`, id);
    } else this.#plugins.add(id, plugin);
    return this;
  }

  withStopPolicy(policy: StopPolicy): this {
    this.#stopPolicies.add(policy.id, policy);
    return this;
  }

  withBackend(backend: ExecutionBackend): this {
    this.#backends.add(backend.id, backend);
    return this;
  }

  withProgram(program: RunProgram): this {
    this.#programs.add(program.kind, program);
    return this;
  }

  withRemoteAgents(source: RemoteAgentSource): this {
    this.#sources.add(source.id, source);
    return this;
  }

  withContextPlugins(factory: ContextPluginFactory): this {
    if (this.#contextPlugins !== undefined && this.#contextPlugins !== factory) {
      this.#plugins.note("REGISTRY_CONFLICT", "Two factories of context plugins were given.");
    }
    this.#contextPlugins = factory;
    return this;
  }

  build(): RegistrySet {
    const sources = this.#sources.build().ids();
    if (sources.length > 0) {
      const message = `The remote agents of ${sources.join(", ")} are not discovered yet. Call buildAndDiscover instead of build.`;
      throw buildFailed([...this.#problems, { code: "DISCOVERY_FAILED", message, registry: "remote sources" }]);
    }
    const registries = this.buildUnchecked();
    validateAgents(registries);
    return registries;
  }

  buildUnchecked(): RegistrySet {
    if (this.#problems.length > 0) throw buildFailed(this.#problems);
    const sources = this.#sources.build().list();
    return sources.length === 0 ? this.#assemble() : withRemote(this.#assemble(), sources);
  }

  async buildAndDiscover(signal?: AbortSignal): Promise<RegistrySet> {
    const registries = this.buildUnchecked();
    await registries.discover?.(signal);
    validateAgents(registries);
    return registries;
  }

  #assemble(): RegistrySet {
    return {
      agents: this.#agents.build(),
      tools: this.#tools.build(),
      models: this.#models.build(),
      providers: this.#providers.build(),
      plugins: this.#plugins.build(),
      stopPolicies: this.#stopPolicies.build(),
      backends: this.#backends.build(),
      programs: this.#programs.build(),
      ...(this.#contextPlugins !== undefined && { contextPlugins: this.#contextPlugins }),
    };
  }
}

/** Agents of other places behind those that are here, as they were when the sources were asked last. */
function withRemote(local: RegistrySet, sources: readonly RemoteAgentSource[]): RegistrySet {
  let found = createCompositeRegistry<AgentEntry>([]);
  const remote: RegistrySet["agents"] = {
    get: (id) => found.get(id),
    ids: () => found.ids(),
    list: () => found.list(),
  };
  return {
    ...local,
    agents: createCompositeRegistry([local.agents, remote]),
    async discover(signal) {
      found = createCompositeRegistry(await discoverAgents(sources, signal));
    },
  };
}

function isModel(model: unknown): model is LanguageModel {
  return typeof model === "object" && model !== null && "stream" in model && typeof model.stream === "function";
}

function buildFailed(problems: readonly BuildProblem[]): RepriseError {
  const said = problems.map(({ message }) => message).join("\n");
  const count = problems.length === 1 ? "One thing" : `${problems.length} things`;
  const message = `${count} cannot be registered:\n${said}`;
  return new RepriseError("BUILD_FAILED", message, { details: { problems: [...problems] } });
}

/** An agent that cannot be resolved. */
interface ValidationFailure {
  readonly agent_id: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Resolves every agent once, so that what is wrong shows at the start and not with the first request. */
function validateAgents(registries: RegistrySet): void {
  const failures = registries.agents.ids().flatMap((id) => findFailure(registries, id) ?? []);
  if (failures.length === 0) return;
  const said = failures.map(({ message }) => message).join("\n");
  throw new RepriseError("VALIDATION_FAILED", `${failures.length} of the agents cannot be resolved:\n${said}`, {
    details: { failures },
  });
}

function findFailure(registries: RegistrySet, agentId: string): ValidationFailure | undefined {
  try {
    dryResolve(registries, agentId);
    return undefined;
  } catch (error) {
    const { code, message } = toRepriseError(error);
    return { agent_id: agentId, code, message };
  }
}
