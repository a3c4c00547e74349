import {
  type Budget,
  type BudgetOptions,
  budgetShape,
  invalidRequest,
  notFound,
  type RunRecord,
} from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";
import { cannotAllot } from "../budget/budget-exceeded.ts";
import type { Services } from "../loop/services.ts";
import { wordsOf } from "../spec/say-problem.ts";

/** The budgets of runs, while they run and afterwards. */
export interface Budgets {
  /** How the budget of a run stands; for a run that shares one, that one with all its allotments. `BUDGET_NOT_FOUND` for a run without. */
  get(runId: string): Promise<Budget>;
  /**
   * Sets limits anew, higher or lower; for a run with an allotment, those of the allotment. What is spent stays spent; a run that waits for an answer
   * keeps waiting for it. `BUDGET_EXCEEDED` when an allotment would be larger than what is left above it.
   */
  setLimit(runId: string, limits: Pick<BudgetOptions, "limitMicrocents" | "limitTokens">): Promise<Budget>;
}

export function createBudgets({ store, budgets }: Services, tenant: string): Budgets {
  const budgetOf = async (runId: string): Promise<Pick<RunRecord, "allotment_id"> & { readonly budget_id: string }> => {
    const run = await store.forTenant(tenant).loadRun(runId);
    if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
    const { budget_id, allotment_id } = run;
    if (budget_id === undefined) throw notFound("BUDGET_NOT_FOUND", "budget of run", runId);
    return { budget_id, ...(allotment_id === runId && { allotment_id }) };
  };
  return {
    async get(runId) {
      const budget = await budgets.load(tenant, (await budgetOf(runId)).budget_id);
      if (budget === undefined) throw notFound("BUDGET_NOT_FOUND", "budget of run", runId);
      return budget;
    },
    async setLimit(runId, limits) {
      const stored = toStoredKeys(limits);
      const [problem] = budgetShape.problems(stored, ["budget"]);
      if (problem !== undefined) throw invalidRequest(`${wordsOf(limits)(problem)}.`);
      const { limit_microcents, limit_tokens } = stored;
      const given = {
        ...(limit_microcents !== undefined && { limit_microcents }),
        ...(limit_tokens !== undefined && { limit_tokens }),
      };
      const { budget_id, allotment_id: allotment } = await budgetOf(runId);
      const change = { type: "set_limit", ...given, ...(allotment !== undefined && { allotment }) } as const;
      const { budget, isRefused } = await budgets.change(tenant, budget_id, change);
      if (isRefused) throw cannotAllot(budget, allotment && budget.allotments[allotment]?.above, given);
      return budget;
    },
  };
}
