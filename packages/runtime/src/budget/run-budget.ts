import type { Amount, Claim, RunRecord } from "@reprise/contracts";
import type { BudgetBook } from "./budget-book.ts";
import { type AnswerRange, attemptIdOf, type BudgetChange, type BudgetStep } from "./change-budget.ts";

/** The budget of a run, if it has one or shares one. */
export function budgetOf(book: BudgetBook, claim: Claim, { run_id, budget_id }: RunRecord): RunBudget | undefined {
  return budget_id === undefined ? undefined : new RunBudget(book, claim, { run_id, budget_id });
}

/** The budget an activation works under, which it shares with other runs of its tree. */
export class RunBudget {
  readonly #book: BudgetBook;
  readonly #claim: Claim;
  readonly #runId: string;
  readonly #budgetId: string;
  #isTakenOver: boolean;

  constructor(book: BudgetBook, claim: Claim, run: { readonly run_id: string; readonly budget_id: string }) {
    this.#book = book;
    this.#claim = claim;
    this.#runId = run.run_id;
    this.#budgetId = run.budget_id;
    // A run that has just been started has no earlier owner who could have left anything.
    this.#isTakenOver = claim.kind === "start";
  }

  async reserve(attempt: string, amount: Amount, answer?: AnswerRange): Promise<BudgetStep> {
    if (!this.#isTakenOver) {
      await this.change({ type: "take_over", run_id: this.#runId, epoch: this.#claim.epoch });
      this.#isTakenOver = true;
    }
    const named = { type: "reserve", attempt: this.#attemptId(attempt), amount } as const;
    return this.change(answer === undefined ? named : { ...named, answer });
  }

  settle(attempt: string, amount: Amount | null): Promise<BudgetStep> {
    return this.change({ type: "settle", attempt: this.#attemptId(attempt), amount });
  }

  change(change: BudgetChange): Promise<BudgetStep> {
    return this.#book.change(this.#claim.tenant, this.#budgetId, change);
  }

  #attemptId(attempt: string): string {
    return attemptIdOf(this.#runId, this.#claim.epoch, attempt);
  }
}
