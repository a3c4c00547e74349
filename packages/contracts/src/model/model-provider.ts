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
  /** Whether a name without a provider means a model of this one: `gpt-4o-mini` is OpenAI's, whoever says it. */
  hasModel?(name: string): boolean;
  /** What is known of a model: window, modalities, prices. Undefined for one nobody described. */
  describe?(name: string): Omit<ModelSpec, "id" | "provider" | "model"> | undefined;
  /** Gets a new key after one was refused; false when there is none to get. Asked once an inference at most. */
  refreshAuth?(): Promise<boolean>;
}
