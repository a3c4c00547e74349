import type { ModelProvider } from "@reprise/contracts";
import { CATALOGUE } from "./catalogue.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";

type Description = NonNullable<ReturnType<NonNullable<ModelProvider["describe"]>>>;

/** The catalogue's entry for a model; also for a dated version of one, as in `gpt-5-2025-08-07`. */
export function findModel(provider: string, name: string): CatalogueEntry | undefined {
  const undated = name.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
  const find = (model: string) => CATALOGUE.find((entry) => entry.provider === provider && entry.model === model);
  return find(name) ?? find(undated);
}

/** The catalogue's entry of a model. Undefined for an unknown model, which has no price. */
export function describeModel(provider: string, name: string): Description | undefined {
  const found = findModel(provider, name);
  if (found === undefined) return undefined;
  const { id: _id, provider: _provider, model: _model, features: _features, ...description } = found;
  return description;
}
