import type { CheckResult } from "../check/check-result.ts";
import type { Regression } from "../evaluate/experiment.ts";

/** A difference from the baseline, as a check that did not pass. */
export function checkOfRegression({ metric, baseline, actual, verdict, unpriced }: Regression): CheckResult {
  const compared = `${baseline} before, ${actual} now`;
  const unknown = unpriced === "actual" ? "the cost" : "that of the baseline";
  const message = unpriced === undefined ? compared : `${compared}; ${unknown} is not wholly known`;
  return { name: `baseline ${metric}`, verdict, message };
}

/** The same in one line. */
export function describeRegression(regression: Regression): string {
  const { name, message } = checkOfRegression(regression);
  return `${name}: ${message}`;
}
