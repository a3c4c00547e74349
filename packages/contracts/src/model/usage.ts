import type { TokenUsage } from "./model.ts";

/** No answer takes more: the largest windows have a hundredth of it. */
const MOST_TOKENS = 100_000_000;

/**
 * The usage a provider reported, if it can be true. One impossible count (negative, beyond any window, no number) makes the whole report
 * unknown: otherwise a provider could give a budget back more than was spent.
 */
export function believableUsage(reported: TokenUsage | undefined): TokenUsage {
  const counts: readonly unknown[] = Object.values(reported ?? {});
  const isBelievable = counts.every((count) => typeof count === "number" && count >= 0 && count <= MOST_TOKENS);
  return isBelievable ? (reported ?? {}) : {};
}
