import { type ContextOptions, RepriseError } from "@reprise/contracts";
import { CATALOGUE } from "./catalogue.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { findModel } from "./describe-model.ts";

/** Requests are counted with OpenAI's tokenizer, or by a rule. Models of other providers may find more tokens in the same text. */
const SHARE_OF_OTHERS = 0.85;
/** Kept free for an answer, for models that can write much more. */
const OUTPUT_TOKENS = 16_384;

/**
 * A context policy for a model of the catalogue: `anthropic/claude-sonnet-5`, `gpt-5`, or a family such as `claude`, which stands for its
 * newest model. Uses the whole window, less what tokenizers may differ by. `MODEL_NOT_FOUND` for a model whose window is unknown.
 */
export function contextPolicyFor(model: string): ContextOptions {
  const entry = find(model);
  const { context_window: window, max_output_tokens: output = OUTPUT_TOKENS } = entry ?? {};
  if (entry === undefined || window === undefined) {
    const remedy = "Write a context policy with maxContextTokens instead.";
    const message = `The window of the model ${JSON.stringify(model)} is unknown. ${remedy}`;
    throw new RepriseError("MODEL_NOT_FOUND", message, { details: { model } });
  }
  return {
    maxContextTokens: entry.provider === "openai" ? window : Math.floor(window * SHARE_OF_OTHERS),
    maxOutputTokens: Math.min(output, OUTPUT_TOKENS),
    enablePromptCache: true,
  };
}

function find(model: string): CatalogueEntry | undefined {
  const slash = model.indexOf("/");
  if (slash > 0) return findModel(model.slice(0, slash), model.slice(slash + 1));
  const providers = [...new Set(CATALOGUE.map(({ provider }) => provider))];
  const named = providers.flatMap((provider) => findModel(provider, model) ?? []);
  const family = CATALOGUE.filter((entry) => entry.model.startsWith(`${model}-`) && entry.context_window !== undefined);
  return named[0] ?? family[0];
}
