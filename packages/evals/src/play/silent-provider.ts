import type { LanguageModel, ModelProvider } from "@reprise/contracts";
import type { Definitions } from "@reprise/runtime";
import { silentModel } from "./played-world.ts";

/** A provider whose models are known and never asked, so that it needs no key, no package and no address. Windows and prices stay. */
export function silentProvider(provider: ModelProvider): ModelProvider {
  const { id, media, hasModel, describe } = provider;
  return {
    id,
    model: (name): LanguageModel => ({ ...silentModel("Models are recorded here."), id: name }),
    ...(media !== undefined && { media: (name) => media.call(provider, name) }),
    ...(hasModel !== undefined && { hasModel: (name) => hasModel.call(provider, name) }),
    ...(describe !== undefined && { describe: (name) => describe.call(provider, name) }),
  };
}

/** Definitions for a playing in which the recording answers for models. */
export function withSilentProviders(definitions: Definitions): Definitions {
  const { providers } = definitions;
  return providers === undefined ? definitions : { ...definitions, providers: providers.map(silentProvider) };
}
