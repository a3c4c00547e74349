import type { SeededRandom } from "../random/seeded-random.ts";

/** How wrong clocks are known to be: from a network's unevenness to one that nobody sets. */
const SKEWS_MS: readonly number[] = [10, 50, 250, 1_000, 5_000, 20_000, 60_000];

/** How wrong the clock of one process is, ahead or behind; 0 when clocks are to be right. */
export function chooseSkew(mostMs: number, random: SeededRandom): number {
  const [first, ...others] = SKEWS_MS.filter((skew) => skew <= mostMs);
  if (first === undefined) return 0;
  return random.pick([first, ...others]) * (random.chance(0.5) ? 1 : -1);
}
