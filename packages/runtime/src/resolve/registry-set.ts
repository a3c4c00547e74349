import type {
  AgentSpec,
  ContextPolicy,
  ExecutionBackend,
  LanguageModel,
  ModelDefinition,
  ModelPool,
  ModelProvider,
  ModelSpec,
  Plugin,
  RunProgram,
  StopPolicy,
  Tool,
} from "@reprise/contracts";
import type { Registry } from "./registry.ts";

/** What an agent was given by value. It belongs to that agent alone: another may have something else under the same id. */
export interface OwnParts {
  readonly tools?: readonly Tool[];
  /** Found by `plugin_ids` before registered ones; those that are not named there come after those that are. */
  readonly plugins?: readonly Plugin[];
  /** Used instead of the model the spec names. */
  readonly model?: LanguageModel;
  /** Runs the agent instead of a model. */
  readonly program?: RunProgram;
}

export interface AgentEntry extends OwnParts {
  readonly spec: AgentSpec;
}

/** A model as data, reached through its provider; the model itself; or several under one id. */
export type RegisteredModel = ModelSpec | LanguageModel | ModelPool;

/** The same as it may be given: an author describes a model in camelCase, a configuration in snake_case. */
export type GivenModel = ModelDefinition | RegisteredModel;

/**
 * Makes the plugins that keep a conversation inside the model's window. Called by every resolve of an agent with a context
 * policy: cheap, and pure.
 */
export type ContextPluginFactory = (policy: ContextPolicy, spec: AgentSpec) => readonly Plugin[];

/** Everything agents are resolved from. */
export interface RegistrySet {
  readonly agents: Registry<AgentEntry>;
  readonly tools: Registry<Tool>;
  readonly models: Registry<RegisteredModel>;
  readonly providers: Registry<ModelProvider>;
  readonly plugins: Registry<Plugin>;
  readonly stopPolicies: Registry<StopPolicy>;
  readonly backends: Registry<ExecutionBackend>;
  readonly programs: Registry<RunProgram>;
  readonly contextPlugins?: ContextPluginFactory;
  /** Asks the remote sources for their agents, again or for the first time. Absent where there are no sources. */
  discover?(signal?: AbortSignal): Promise<void>;
}

export function isLanguageModel(model: RegisteredModel): model is LanguageModel {
  return "stream" in model;
}
