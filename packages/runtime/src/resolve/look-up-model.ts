import {
  type LanguageModel,
  type MediaModel,
  ModelError,
  type ModelPool,
  type ModelProvider,
  type ModelSpec,
  RepriseError,
} from "@reprise/contracts";
import { findNearest } from "@reprise/contracts/shape";
import type { Registry } from "./registry.ts";
import { isLanguageModel, type RegisteredModel, type RegistrySet } from "./registry-set.ts";
import { missing, unresolvable } from "./resolve-errors.ts";

/** A model that can be asked, with what is known of it. */
export interface FoundModel {
  readonly model: LanguageModel;
  /** Absent for a model that was registered itself, without a description. */
  readonly modelSpec?: ModelSpec;
  /** What makes the media, for a generative model; `model` then only says that it does not speak. */
  readonly media?: MediaModel;
  /** Its provider's way to a new key. */
  readonly refreshAuth?: () => Promise<boolean>;
  /** Those it stands for, when it is a pool; the rest is then the first one's. */
  readonly pool?: { readonly id: string; readonly members: readonly PoolMember[] };
}

export interface PoolMember {
  readonly weight: number;
  readonly found: FoundModel;
}

/**
 * `openai/gpt-5` needs no registration where the provider `openai` is known: the rest is the provider's own name. Nor does `gpt-5`,
 * where a provider says that it is its own.
 */
function specByName(providers: Registry<ModelProvider>, modelId: string): ModelSpec | undefined {
  const slash = modelId.indexOf("/");
  const named = slash > 0 ? providers.get(modelId.slice(0, slash)) : undefined;
  const provider = named ?? providers.list().find((candidate) => candidate.hasModel?.(modelId) === true);
  const model = named === undefined ? modelId : modelId.slice(slash + 1);
  if (provider === undefined || model === "") return undefined;
  return { ...provider.describe?.(model), id: modelId, provider: provider.id, model };
}

/** How to name a model by its provider, and which provider a misspelt one was meant for. */
export function sayProviders(modelId: string, providerIds: readonly string[]): readonly string[] {
  // Stands for a model that the environment does not name.
  const known = providerIds.filter((id) => id !== "environment");
  if (known.length === 0) return [];
  const [prefix = "", ...rest] = modelId.split("/");
  const nearest = rest.length === 0 ? undefined : findNearest(prefix, known);
  const meant = nearest === undefined ? [] : [`Did you mean ${JSON.stringify([nearest, ...rest].join("/"))}?`];
  return [`Or name one as \`provider/model\` of ${known.join(", ")}.`, ...meant];
}

/** From a model's id to the model: its description, then its provider. */
export function lookUpModel(registries: RegistrySet, agentId: string, modelId: string): FoundModel {
  const { models, providers } = registries;
  const found = models.get(modelId) ?? specByName(providers, modelId);
  if (found === undefined) {
    const remedy = ["Register it with withModel.", ...sayProviders(modelId, providers.ids())].join(" ");
    throw missing({ code: "MODEL_NOT_FOUND", agentId, what: "model", id: modelId, known: models.ids(), remedy });
  }
  if (isLanguageModel(found)) return { model: found };
  if (isPool(found)) return lookUpPool(registries, agentId, found);
  const provider = providers.get(found.provider);
  if (provider === undefined) {
    const what = `model ${JSON.stringify(modelId)} of the provider`;
    const remedy = "Register it with withProvider.";
    throw missing({
      code: "PROVIDER_NOT_FOUND",
      agentId,
      what,
      id: found.provider,
      known: providers.ids(),
      remedy,
    });
  }
  try {
    if (found.surface === "generative") return lookUpMedia(provider, found, agentId);
    const model = provider.model(found.model);
    const refreshAuth = provider.refreshAuth?.bind(provider);
    return { model, modelSpec: found, ...(refreshAuth !== undefined && { refreshAuth }) };
  } catch (error) {
    if (RepriseError.is(error)) throw error;
    throw unresolvable(
      "MODEL_NOT_FOUND",
      agentId,
      `the provider ${JSON.stringify(provider.id)} cannot give its model ${JSON.stringify(found.model)}.`,
      { id: modelId, provider: provider.id },
      error,
    );
  }
}

function lookUpMedia(provider: ModelProvider, spec: ModelSpec, agentId: string): FoundModel {
  if (provider.media !== undefined) {
    return { model: standInFor(spec.id), modelSpec: spec, media: provider.media(spec.model) };
  }
  const problem = `the provider ${JSON.stringify(provider.id)} makes no media, and its model ${JSON.stringify(spec.model)} is generative.`;
  throw unresolvable("MODEL_NOT_FOUND", agentId, problem, { id: spec.id, provider: provider.id });
}

function isPool(model: RegisteredModel | undefined): model is ModelPool {
  return model !== undefined && "pool" in model;
}

/** A pool is as capable as its members: what is known of it is what is known of all. */
function lookUpPool(registries: RegistrySet, agentId: string, { id, pool }: ModelPool): FoundModel {
  const nested = pool.find(({ model }) => isPool(registries.models.get(model)));
  if (nested !== undefined) {
    const problem = `the pool ${JSON.stringify(id)} names another pool, ${JSON.stringify(nested.model)}.`;
    throw unresolvable("MODEL_NOT_FOUND", agentId, problem, { id });
  }
  const members = pool.map(({ model, weight = 1 }) => ({ weight, found: lookUpModel(registries, agentId, model) }));
  const [first] = members;
  if (first === undefined) throw unresolvable("MODEL_NOT_FOUND", agentId, `the pool ${JSON.stringify(id)} is empty.`);
  const specs = members.flatMap(({ found }) => (found.modelSpec === undefined ? [] : [found.modelSpec]));
  const { modelSpec } = first.found;
  if (modelSpec === undefined || specs.length < members.length)
    return { model: first.found.model, pool: { id, members } };
  return { model: first.found.model, modelSpec: { ...narrowest(modelSpec, specs), id }, pool: { id, members } };
}

function narrowest(spec: ModelSpec, all: readonly ModelSpec[]): ModelSpec {
  const smallest = (key: "context_window" | "max_output_tokens") => {
    const known = all.flatMap((one) => one[key] ?? []);
    return known.length < all.length ? {} : { [key]: Math.min(...known) };
  };
  const { context_window: _window, max_output_tokens: _output, ...rest } = spec;
  return { ...rest, ...smallest("context_window"), ...smallest("max_output_tokens") };
}

/** Replaces the language model of an agent whose model only makes media: a request for text gets the reason. */
function standInFor(id: string): LanguageModel {
  return {
    id,
    // biome-ignore lint/correctness/useYield: it has nothing to say
    async *stream() {
      throw new ModelError("invalid_request", `Model ${id} makes media and does not speak.`);
    },
  };
}
