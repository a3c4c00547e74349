import type { Budget, BudgetPolicy, OnExceeded } from "@reprise/contracts";

/** From the strictest on. */
const EXCEEDED: readonly OnExceeded[] = ["fail", "pause", "warn"];
const UNPRICED: readonly NonNullable<BudgetPolicy["unpriced"]>[] = ["refuse", "warn"];

/** The budget that allows only what both allow: the smaller of two limits, and the stricter of two ways to enforce it. */
export function strictestBudget(one: BudgetPolicy, other: BudgetPolicy): BudgetPolicy {
  const limit_microcents = smaller(one.limit_microcents, other.limit_microcents);
  const limit_tokens = smaller(one.limit_tokens, other.limit_tokens);
  const warn_at_percent = smaller(one.warn_at_percent, other.warn_at_percent);
  return {
    ...(limit_microcents !== undefined && { limit_microcents }),
    ...(limit_tokens !== undefined && { limit_tokens }),
    on_exceeded: first(EXCEEDED, one.on_exceeded, other.on_exceeded),
    unpriced: first(UNPRICED, one.unpriced, other.unpriced),
    ...(warn_at_percent !== undefined && { warn_at_percent }),
  };
}

/** Whether a budget that stands allows no more than a policy does. */
export function isWithin(budget: Budget, policy: BudgetPolicy): boolean {
  const { limit_microcents, limit_tokens, on_exceeded, unpriced } = budget;
  const strictest = strictestBudget(policyOf(budget), policy);
  return (
    (strictest.limit_microcents ?? null) === limit_microcents &&
    (strictest.limit_tokens ?? null) === limit_tokens &&
    strictest.on_exceeded === on_exceeded &&
    strictest.unpriced === unpriced
  );
}

/** The policy by which a budget stands now, whatever was spent of it. */
export function policyOf({ limit_microcents, limit_tokens, on_exceeded, unpriced }: Budget): BudgetPolicy {
  return {
    ...(limit_microcents !== null && { limit_microcents }),
    ...(limit_tokens !== null && { limit_tokens }),
    on_exceeded,
    unpriced,
  };
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** The one of two words that stands first; a word that was left out is the first. */
function first<Word extends string>(order: readonly Word[], ...words: readonly (Word | undefined)[]): Word {
  const positions = words.map((word) => (word === undefined ? 0 : order.indexOf(word)));
  // Every word is of the list, so the smallest position is one of it.
  return order[Math.min(...positions)] as Word;
}
