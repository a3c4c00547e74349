import type { TokenUsage } from "./model.ts";
import type { ModelPricing } from "./model-spec.ts";

/** What something cost, in millionths of a cent, and whether that is known. */
export interface Cost {
  readonly microcents: number;
  /** False when nobody knows the price: then the cost is 0 and means nothing. */
  readonly priced: boolean;
}

/** Prices are in dollars for a million tokens; a dollar is a hundred million microcents. */
const MICROCENTS_PER_DOLLAR_AND_MILLION = 100;

/** What the tokens of one answer cost. Those read from a cache or written to it are part of the prompt, and have prices of their own. */
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
