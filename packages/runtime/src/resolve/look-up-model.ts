import { type LanguageModel, type ModelSpec, RepriseError } from "@reprise/contracts";
import { isLanguageModel, type RegistrySet } from "./registry-set.ts";
import { missing, unresolvable } from "./resolve-errors.ts";

/** A model that can be asked, with what is known of it. */
export interface FoundModel {
  readonly model: LanguageModel;
  /** Absent for a model that was registered itself, without a description. */
  readonly modelSpec?: ModelSpec;
}

/** From a model's id to the model: its description, then its provider. */
export function lookUpModel(registries: RegistrySet, agentId: string, modelId: string): FoundModel {
  const { models, providers } = registries;
  const found = models.get(modelId);
  if (found === undefined) {
    const remedy = "Register it with withModel.";
    throw missing({ code: "MODEL_NOT_FOUND", agentId, what: "model", id: modelId, known: models.ids(), remedy });
  }
  if (isLanguageModel(found)) return { model: found };
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
    return { model: provider.model(found.model), modelSpec: found };
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
