import type { Modality, ModelSpec } from "@reprise/contracts";

/** What a model can do beyond text. */
export interface ModelFeatures {
  readonly tools: boolean;
  readonly reasoning: boolean;
  /** Whether the provider holds it to the schema of an answer. */
  readonly structured_output: boolean;
  /** Whether the beginning of a request is kept by itself, or only where it is marked (`prompt_cache`). */
  readonly prompt_cache: "automatic" | "marked";
}

/** A model as the catalogue knows it. */
export interface CatalogueEntry extends ModelSpec {
  readonly features: ModelFeatures;
}

/** Dollars for a million tokens: read, written, read from the cache, written to the cache. */
export type Prices = readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number];

/** What an entry says that the others of its provider do not. */
export interface EntryFields {
  readonly window?: number;
  readonly output?: number;
  readonly cutoff?: string;
  readonly input?: readonly Modality[];
  readonly features?: Partial<ModelFeatures>;
}

/** What all models of a provider have in common, unless an entry says otherwise. */
export interface ProviderDefaults {
  readonly provider: string;
  readonly input: readonly Modality[];
  readonly features: ModelFeatures;
}

/** Writes one entry of a provider. */
export type WriteEntry = (model: string, prices: Prices, fields?: EntryFields) => CatalogueEntry;

/** Makes the function that writes a provider's entries. */
export function entriesOf({ provider, input, features }: ProviderDefaults): WriteEntry {
  return (model, prices, fields = {}) => ({
    id: `${provider}/${model}`,
    provider,
    model,
    ...(fields.window !== undefined && { context_window: fields.window }),
    ...(fields.output !== undefined && { max_output_tokens: fields.output }),
    modalities: { input: fields.input ?? input, output: ["text"] },
    ...(fields.cutoff !== undefined && { knowledge_cutoff: fields.cutoff }),
    pricing: {
      input_per_million: prices[0],
      output_per_million: prices[1],
      ...(prices[2] !== undefined && { cache_read_per_million: prices[2] }),
      ...(prices[3] !== undefined && { cache_write_per_million: prices[3] }),
    },
    features: { ...features, ...fields.features },
  });
}

/** A model that generates pictures at an endpoint of its own. It answers no text and has no window. */
export function imageEntry(provider: string, model: string): CatalogueEntry {
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    surface: "generative",
    modalities: { input: ["text"], output: ["image"] },
    features: { tools: false, reasoning: false, structured_output: false, prompt_cache: "automatic" },
  };
}
