import { type Amount, type Budget, RepriseError } from "@reprise/contracts";
import { committedOf } from "./change-budget.ts";

/** A model call that could cost more than is left. What becomes of the run is the budget's policy. */
export class BudgetExceeded extends RepriseError {
  readonly budget: Budget;
  readonly needed: Amount;

  constructor(budget: Budget, needed: Amount) {
    const { limit_microcents, limit_tokens } = budget;
    const { microcents, tokens } = committedOf(budget);
    const money = limit_microcents !== null && microcents + needed.microcents > limit_microcents;
    const [unit, limit, used, more] = money
      ? (["microcents", limit_microcents, microcents, needed.microcents] as const)
      : (["tokens", limit_tokens ?? 0, tokens, needed.tokens] as const);
    super(
      "BUDGET_EXCEEDED",
      `The next model call may take ${more} ${unit}; ${used} of ${limit} are spent or reserved. Raise the budget, or ask for shorter answers with max_tokens.`,
      { details: { unit, limit, used, needed: more } },
    );
    this.budget = budget;
    this.needed = needed;
  }
}
