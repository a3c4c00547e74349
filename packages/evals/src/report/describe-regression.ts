import type { Regression } from "../evaluate/experiment.ts";

/** How a case differs from the baseline, as every report says it. */
export function describeRegression({ metric, baseline, actual, unpriced }: Regression): string {
  const compared = `baseline ${metric}: ${baseline} before, ${actual} now`;
  if (unpriced === undefined) return compared;
  return `${compared}; they cannot be compared, because ${unpriced === "actual" ? "the cost" : "that of the baseline"} is not wholly known`;
}
