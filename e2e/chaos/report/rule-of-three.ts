/** What no violation in so many kills says about the rate of violations, with 95 % confidence: at most three in so many. */
export function ruleOfThree(kills: number): number {
  return kills === 0 ? 1 : Math.min(3 / kills, 1);
}
