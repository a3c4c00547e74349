import type { TokenUsage } from "./model.ts";
import type { ModelPricing } from "./model-spec.ts";

/** A cost in millionths of a cent, and whether it is known. */
export interface Cost {
  readonly microcents: number;
  /** False when the price is unknown. The cost is then 0 and has no meaning. */
  readonly priced: boolean;
}

/** Prices are in dollars for a million tokens; a dollar is a hundred million microcents. */
const MICROCENTS_PER_DOLLAR_AND_MILLION = 100;

/** The cost of the tokens of one answer. Tokens read from or written to a cache are part of the prompt and have prices of their own. */
export function costOf(usage: TokenUsage, pricing: ModelPricing | undefined): Cost {
  const { input_per_million: input, output_per_million: output } = pricing ?? {};
  if (pricing === undefined || (input === undefined && output === undefined)) return { microcents: 0, priced: false };
  const { cache_read_per_million: read = input, cache_write_per_million: write = input } = pricing;
  const { cache_read_tokens: cached = 0, cache_creation_tokens: created = 0 } = usage;
  const fresh = Math.max((usage.prompt_tokens ?? 0) - cached - created, 0);
  const dollars =
    fresh * (input ?? 0) +
    cached * (read ?? 0) +
    created * (write ?? 0) +
    (usage.completion_tokens ?? 0) * (output ?? 0);
  return { microcents: Math.round(dollars * MICROCENTS_PER_DOLLAR_AND_MILLION), priced: true };
}
