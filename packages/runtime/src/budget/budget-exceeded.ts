import { type Amount, type Budget, RepriseError } from "@reprise/contracts";
import { committedOf, leftFor, UNITS, type Unit } from "./budget-room.ts";
import type { AllottedLimits } from "./change-budget.ts";

/** A model call that could cost more than is left. What becomes of the run is the budget's policy. */
export class BudgetExceeded extends RepriseError {
  readonly budget: Budget;
  readonly needed: Amount;
  /** The run whose allotment is too small. Nobody is asked for more then: the run above decides. */
  readonly allotment: string | undefined;

  constructor(budget: Budget, needed: Amount, allotment?: string) {
    const limits = limitsOf(budget, allotment);
    const used = (unit: Unit): number => committedOf(budget, allotment, unit);
    const money = limits.limit_microcents !== null && used("microcents") + needed.microcents > limits.limit_microcents;
    const unit = money ? "microcents" : "tokens";
    const limit = limits[`limit_${unit}`] ?? 0;
    const more = needed[unit];
    const whose = allotment === undefined ? "" : ` that run ${allotment} was given`;
    const remedy =
      allotment === undefined
        ? "Raise the budget, or ask for shorter answers with max_tokens."
        : "Give the run higher limits, or ask for shorter answers with max_tokens.";
    super(
      "BUDGET_EXCEEDED",
      `The next model call may take ${more} ${unit}; ${used(unit)} of ${limit}${whose} are spent or reserved. ${remedy}`,
      {
        details: { unit, limit, used: used(unit), needed: more, ...(allotment !== undefined && { run_id: allotment }) },
      },
    );
    this.budget = budget;
    this.needed = needed;
    this.allotment = allotment;
  }
}

/** Limits for a run below that the budget, or the allotment above, has no room for. */
export function cannotAllot(budget: Budget, above: string | undefined, limits: AllottedLimits): RepriseError {
  const lacking = UNITS.find((unit) => (limits[`limit_${unit}`] ?? 0) > leftFor(budget, above, unit).left) ?? "tokens";
  const { left, by } = leftFor(budget, above, lacking);
  const asked = limits[`limit_${lacking}`] ?? 0;
  const whose = by === undefined ? "the budget" : `what run ${by} was given`;
  return new RepriseError(
    "BUDGET_EXCEEDED",
    `A limit of ${asked} ${WORDS[lacking]} cannot be set aside: ${Math.max(left, 0)} of ${whose} are left. Set a lower limit, or raise the budget.`,
    { details: { unit: lacking, left: Math.max(left, 0), needed: asked, ...(by !== undefined && { run_id: by }) } },
  );
}

const WORDS: { readonly [Each in Unit]: string } = {
  microcents: "microcents",
  tokens: "tokens",
  tool_calls: "tool calls",
};

function limitsOf(budget: Budget, allotment: string | undefined): Pick<Budget, `limit_${Unit}`> {
  return (allotment === undefined ? undefined : budget.allotments[allotment]) ?? budget;
}
