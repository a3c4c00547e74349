import { type LanguageModel, ModelError } from "@reprise/contracts";

/** Stands where a model that speaks would stand, for one that only makes media: whoever asks it to speak is told so. */
export function standInFor(id: string): LanguageModel {
  return {
    id,
    // biome-ignore lint/correctness/useYield: it has nothing to say
    async *stream() {
      throw new ModelError("invalid_request", `Model ${id} makes media and does not speak.`);
    },
  };
}
