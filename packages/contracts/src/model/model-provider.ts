import type { MediaModel } from "./media.ts";
import type { LanguageModel } from "./model.ts";
import type { ModelSpec } from "./model-spec.ts";

/** Where models come from: knows how to reach each of its own. */
export interface ModelProvider {
  readonly id: string;
  /** A model by the provider's own name for it. Cheap: connects when it is first used. */
  model(name: string): LanguageModel;
  /** The same for one that makes media; absent where the provider has none. */
  media?(name: string): MediaModel;
  /** Whether a bare model id belongs to this provider, as `gpt-4o-mini` belongs to OpenAI. */
  hasModel?(name: string): boolean;
  /** Window, modalities and prices of a model; undefined for a model without a description. */
  describe?(name: string): Omit<ModelSpec, "id" | "provider" | "model"> | undefined;
  /** Gets a new key after one was refused; false when there is none to get. Asked once an inference at most. */
  refreshAuth?(): Promise<boolean>;
}
