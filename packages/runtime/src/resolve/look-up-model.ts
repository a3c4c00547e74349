import { type LanguageModel, type ModelProvider, type ModelSpec, RepriseError } from "@reprise/contracts";
import type { Registry } from "./registry.ts";
import { isLanguageModel, type RegistrySet } from "./registry-set.ts";
import { missing, unresolvable } from "./resolve-errors.ts";

/** A model that can be asked, with what is known of it. */
export interface FoundModel {
  readonly model: LanguageModel;
  /** Absent for a model that was registered itself, without a description. */
  readonly modelSpec?: ModelSpec;
  /** Its provider's way to a new key. */
  readonly refreshAuth?: () => Promise<boolean>;
}

/** `openai/gpt-5` needs no registration where the provider `openai` is known: the rest is the provider's own name. */
function specByPrefix(providers: Registry<ModelProvider>, modelId: string): ModelSpec | undefined {
  const slash = modelId.indexOf("/");
  const provider = slash > 0 ? providers.get(modelId.slice(0, slash)) : undefined;
  const model = modelId.slice(slash + 1);
  if (provider === undefined || model === "") return undefined;
  return { ...provider.describe?.(model), id: modelId, provider: provider.id, model };
}

/** From a model's id to the model: its description, then its provider. */
export function lookUpModel(registries: RegistrySet, agentId: string, modelId: string): FoundModel {
  const { models, providers } = registries;
  const found = models.get(modelId) ?? specByPrefix(providers, modelId);
  if (found === undefined) {
    const known = providers.ids();
    const byPrefix = known.length === 0 ? "" : `, or name one as \`provider/model\` of ${known.join(", ")}`;
    const remedy = `Register it with withModel${byPrefix}.`;
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
