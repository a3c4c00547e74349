import type {
  LanguageModel,
  MediaModel,
  ModelDefinition,
  ModelPool,
  ModelProvider,
  ModelSpec,
} from "@reprise/contracts";
import { describeModel } from "../catalogue/describe-model.ts";
import { compatibleProviders, createCompatible } from "./compatible-entries.ts";
import { packagedEntries } from "./packaged-entries.ts";
import { createPackagedProvider } from "./packaged-provider.ts";
import { notReady, readKey, readVariable, type Variables } from "./variables.ts";

/** The id of the model that `REPRISE_MODEL` names. */
const DEFAULT_MODEL = "default";

/**
 * The providers people have, by the variables people have for them. Nothing is needed to list them: what a model needs is asked
 * for when the model is.
 */
export function environmentProviders(variables: Variables = process.env): readonly ModelProvider[] {
  const packaged = packagedEntries(variables).map(createPackagedProvider);
  const providers = packaged.map((provider) =>
    provider.id === "openai" ? orCompatible(variables, provider) : provider,
  );
  return [...providers, ...compatibleProviders(variables)];
}

/** `OPENAI_BASE_URL` names a server that speaks chat completions: no package is needed for that, and not always a key. */
function orCompatible(variables: Variables, provider: ModelProvider): ModelProvider {
  const compatible = createCompatible(variables, {
    id: "openai",
    address: "OPENAI_BASE_URL",
    usual: "https://api.openai.com/v1",
    key: "OPENAI_API_KEY",
  });
  const isElsewhere = (): boolean => readVariable(variables, "OPENAI_BASE_URL") !== undefined;
  return {
    ...provider,
    model: (name): LanguageModel => (isElsewhere() ? compatible : provider).model(name),
    // Pictures need no package either: OpenAI's own address is one more server.
    media: (name): MediaModel => {
      if (!isElsewhere()) readKey(variables, "OPENAI_API_KEY", `openai/${name}`);
      return compatible.media(name);
    },
  };
}

/** The models and providers of a runtime. */
export interface ModelDefinitions {
  readonly models?: readonly (LanguageModel | ModelDefinition | ModelSpec | ModelPool)[];
  readonly providers?: readonly ModelProvider[];
}

/** Adds the environment's providers and its `default` model to those that were given; what was given goes before. */
export function withEnvironment(
  given: ModelDefinitions,
  variables: Variables = process.env,
): Required<ModelDefinitions> {
  const { models = [], providers = [] } = given;
  const added = [...environmentProviders(variables), unnamedModel].filter(
    ({ id }) => !providers.some((own) => own.id === id),
  );
  const hasDefault = models.some(({ id }) => id === DEFAULT_MODEL);
  return {
    models: hasDefault ? models : [...models, describeDefault(variables)],
    providers: [...providers, ...added],
  };
}

/** The model `default`: the one the environment names. */
function describeDefault(variables: Variables): ModelSpec {
  const named = readVariable(variables, "REPRISE_MODEL");
  const [, prefix, rest] = /^([^/]+)\/(.+)$/s.exec(named ?? "") ?? [];
  const provider = prefix ?? ownerOf(variables, named ?? "");
  const model = rest ?? named;
  if (provider === undefined || model === undefined)
    return { id: DEFAULT_MODEL, provider: unnamedModel.id, model: "REPRISE_MODEL" };
  return { ...describeModel(provider, model), id: DEFAULT_MODEL, provider, model };
}

/** Whose model a name without a provider means. */
function ownerOf(variables: Variables, name: string): string | undefined {
  return environmentProviders(variables).find((provider) => provider.hasModel?.(name) === true)?.id;
}

/** Stands where a provider would be when the environment names no model, to say so. */
const unnamedModel: ModelProvider = {
  id: "environment",
  model(variable) {
    throw notReady(DEFAULT_MODEL, `is not named. Set ${variable} in the environment, as in openai/gpt-5`, { variable });
  },
};
