import { type Amount, type Budget, type Claim, RepriseError, type RunRecord } from "@reprise/contracts";
import type { BudgetBook } from "./budget-book.ts";
import { leftFor, type Unit } from "./budget-room.ts";
import type { AnswerRange, Attempt, BudgetChange, BudgetStep } from "./change-budget.ts";

/** The budget of a run, if it has one or shares one. */
export function budgetOf(book: BudgetBook, claim: Claim, run: RunRecord): RunBudget | undefined {
  const { run_id, budget_id, allotment_id } = run;
  return budget_id === undefined ? undefined : new RunBudget(book, claim, { run_id, budget_id, allotment_id });
}

interface BudgetedRun {
  readonly run_id: string;
  readonly budget_id: string;
  readonly allotment_id: string | undefined;
}

/** The budget an activation works under, which it shares with other runs of its tree. */
export class RunBudget {
  readonly #book: BudgetBook;
  readonly #claim: Claim;
  readonly #runId: string;
  readonly #budgetId: string;
  /** The run whose part of the budget this run spends; undefined when it spends the budget itself. */
  readonly #allotment: { readonly allotment?: string };

  constructor(book: BudgetBook, claim: Claim, { run_id, budget_id, allotment_id }: BudgetedRun) {
    this.#book = book;
    this.#claim = claim;
    this.#runId = run_id;
    this.#budgetId = budget_id;
    this.#allotment = allotment_id === undefined ? {} : { allotment: allotment_id };
  }

  reserve(name: string, amount: Amount, answer?: AnswerRange): Promise<BudgetStep> {
    const named = { type: "reserve", attempt: this.#attempt(name), amount, ...this.#allotment } as const;
    return this.change(answer === undefined ? named : { ...named, answer });
  }

  /** Counts as spent what earlier owners of the run reserved and did not settle. */
  async takeOver(): Promise<void> {
    const { epoch, kind } = this.#claim;
    // A run that has just been started has no earlier owner who could have left anything.
    if (kind === "start") return;
    try {
      await this.change({ type: "take_over", run_id: this.#runId, epoch });
    } catch (error) {
      // The run that owned the budget was deleted, and its budget with it. The next reservation says so.
      if (!RepriseError.is(error, "BUDGET_NOT_FOUND")) throw error;
    }
  }

  settle(name: string, amount: Amount | null): Promise<BudgetStep> {
    return this.change({ type: "settle", attempt: this.#attempt(name), amount });
  }

  countCall(): Promise<BudgetStep> {
    return this.change({ type: "count_call", ...this.#allotment });
  }

  change(change: BudgetChange): Promise<BudgetStep> {
    return this.#book.change(this.#claim.tenant, this.#budgetId, change);
  }

  /** Whether a limit of this unit holds for the run. */
  isLimitedIn(budget: Budget, unit: Unit): boolean {
    return leftFor(budget, this.#allotment.allotment, unit).left !== Number.POSITIVE_INFINITY;
  }

  #attempt(name: string): Attempt {
    return { run_id: this.#runId, epoch: this.#claim.epoch, name };
  }
}
