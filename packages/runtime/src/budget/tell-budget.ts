import type { Budget, BudgetFact, BudgetNotice } from "@reprise/contracts";
import type { EventSink } from "../run/ports.ts";
import { committedOf } from "./budget-room.ts";

/** Says what is to be said of a budget, to who watches the run that noticed. */
export function tellBudget(
  events: Pick<EventSink, "emit">,
  stepId: string,
  budget: Budget,
  notice: BudgetNotice,
): void {
  events.emit("budget_warning", { reason: notice, ...describeBudget(budget) }, stepId);
}

/** How a budget stands, in a fact. */
export function describeBudget(budget: Budget): BudgetFact {
  return {
    limit_microcents: budget.limit_microcents,
    limit_tokens: budget.limit_tokens,
    spent_microcents: budget.spent.microcents,
    spent_tokens: budget.spent.tokens,
    reserved_microcents: committedOf(budget, undefined, "microcents") - budget.spent.microcents,
    reserved_tokens: committedOf(budget, undefined, "tokens") - budget.spent.tokens,
  };
}
