import type { ModelPool, ModelProvider, ModelSpec } from "@reprise/contracts";
import type { ShapePath } from "@reprise/contracts/shape";
import { type GivenModel, isModelPool, readModelPool, readModelSpec, sayProviders } from "@reprise/runtime";
import type { Config } from "./config.ts";
import { type ConfigProblem, problemAt } from "./config-problem.ts";
import { unknownName } from "./known-names.ts";
import type { Made } from "./make-providers.ts";

/** Who has models, and which there are beside those of the configuration. */
export interface Surroundings {
  readonly providers: readonly ModelProvider[];
  /** Those that are named and could not be made, too: what names them is not wrong itself. */
  readonly providerIds: readonly string[];
  readonly models: readonly GivenModel[];
}

/** Makes the models and pools of a configuration. What is known of a model elsewhere is added to what the configuration says. */
export function makeModels({ models }: Config, surroundings: Surroundings): Made<ModelSpec | ModelPool> {
  const specs = Object.entries(models).map(([id, entry]) => {
    const whole = { ...entry, id };
    return isModelPool(whole) ? readModelPool(whole) : describe(readModelSpec(whole), surroundings.providers);
  });
  const all = [...specs, ...surroundings.models];
  const problems = specs.flatMap((spec) =>
    isModelPool(spec)
      ? findPoolProblems(spec, { ...surroundings, models: all })
      : findProviderProblems(spec, surroundings.providerIds),
  );
  return { items: specs, problems };
}

function describe(spec: ModelSpec, providers: readonly ModelProvider[]): ModelSpec {
  const provider = providers.find(({ id }) => id === spec.provider);
  const { context_window, max_output_tokens, ...known } = provider?.describe?.(spec.model) ?? {};
  const isSized = spec.context_window !== undefined || spec.max_output_tokens !== undefined;
  // Two sizes from two sources need not fit each other.
  const sizes = {
    ...(context_window !== undefined && { context_window }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
  };
  return { ...known, ...(isSized ? {} : sizes), ...spec };
}

function findProviderProblems({ id, provider }: ModelSpec, known: readonly string[]): readonly ConfigProblem[] {
  return known.includes(provider) ? [] : [unknownName(["models", id, "provider"], provider, known)];
}

function findPoolProblems({ id, pool }: ModelPool, surroundings: Surroundings): readonly ConfigProblem[] {
  return pool.flatMap(({ model }, index) => {
    const path = ["models", id, "pool", index, "model"];
    const member = surroundings.models.find((other) => other.id === model);
    if (member !== undefined && isModelPool(member)) {
      return [problemAt(path, ` is ${JSON.stringify(model)}, a pool; pools hold models`)];
    }
    return isKnownModel(model, surroundings) ? [] : [unknownModel(path, model, surroundings)];
  });
}

/** A model has an id of its own, is named as `provider/model`, or by a name that a provider says is its own. */
export function isKnownModel(model: string, { models, providers, providerIds }: Surroundings): boolean {
  const slash = model.indexOf("/");
  const isPrefixed = slash > 0 && slash < model.length - 1 && providerIds.includes(model.slice(0, slash));
  const isOwn = (): boolean => providers.some((provider) => provider.hasModel?.(model) === true);
  return isPrefixed || models.some(({ id }) => id === model) || isOwn();
}

export function unknownModel(path: ShapePath, model: string, { models, providerIds }: Surroundings): ConfigProblem {
  const problem = unknownName(
    path,
    model,
    models.map(({ id }) => id),
  );
  return { ...problem, message: [problem.message, ...sayProviders(model, providerIds)].join(" ") };
}
