import { type Budget, type BudgetOptions, budgetShape, invalidRequest, notFound } from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";
import type { Services } from "../loop/services.ts";
import { wordsOf } from "../spec/say-problem.ts";

/** The budgets of runs, while they run and afterwards. */
export interface Budgets {
  /** How the budget of a run stands; for a run that shares one, that one. `BUDGET_NOT_FOUND` for a run without. */
  get(runId: string): Promise<Budget>;
  /** Sets limits anew, higher or lower. What is spent stays spent; a run that waits for an answer keeps waiting for it. */
  setLimit(runId: string, limits: Pick<BudgetOptions, "limitMicrocents" | "limitTokens">): Promise<Budget>;
}

export function createBudgets({ store, budgets }: Services, tenant: string): Budgets {
  const budgetOf = async (runId: string): Promise<string> => {
    const run = await store.forTenant(tenant).loadRun(runId);
    if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
    if (run.budget_id === undefined) throw notFound("BUDGET_NOT_FOUND", "budget of run", runId);
    return run.budget_id;
  };
  return {
    async get(runId) {
      const budget = await budgets.load(tenant, await budgetOf(runId));
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
      const { budget } = await budgets.change(tenant, await budgetOf(runId), { type: "set_limit", ...given });
      return budget;
    },
  };
}
