import type { Json } from "@reprise/state";

/** From the best to the worst. The verdict of several is the worst of them. */
export type Verdict = "passed" | "warned" | "failed";

/** One thing that was checked about a run. */
export interface CheckResult {
  /** `tools`, `state orders.0.status`, `limits steps`, … */
  readonly name: string;
  readonly verdict: Verdict;
  /** Why it failed or warned; empty when it passed. */
  readonly message: string;
  readonly expected?: Json;
  readonly actual?: Json;
}

const ORDER: readonly Verdict[] = ["passed", "warned", "failed"];

export function worstOf(verdicts: Iterable<Verdict>): Verdict {
  let worst = 0;
  for (const verdict of verdicts) worst = Math.max(worst, ORDER.indexOf(verdict));
  // Every index is of the list.
  return ORDER[worst] as Verdict;
}

export function passed(name: string): CheckResult {
  return { name, verdict: "passed", message: "" };
}

export function failed(
  name: string,
  message: string,
  found: { readonly expected?: Json; readonly actual?: Json } = {},
): CheckResult {
  return { name, verdict: "failed", message, ...found };
}

/** Below 0 when the first is better. */
export function compareVerdicts(one: Verdict, other: Verdict): number {
  return ORDER.indexOf(one) - ORDER.indexOf(other);
}

/** A check that only warns does not fail. */
export function asWarning(check: CheckResult): CheckResult {
  return check.verdict === "failed" ? { ...check, verdict: "warned" } : check;
}
