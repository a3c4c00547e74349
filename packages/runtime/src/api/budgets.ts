import { type Budget, type BudgetPolicy, findBudgetProblem, invalidRequest, notFound } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { Services } from "../loop/services.ts";

/** The budgets of runs, while they run and afterwards. */
export interface Budgets {
  /** How the budget of a run stands; for a run that shares one, that one. `BUDGET_NOT_FOUND` for a run without. */
  get(runId: string): Promise<Budget>;
  /** Sets limits anew, higher or lower. What is spent stays spent; a run that waits for an answer goes on waiting for it. */
  setLimit(runId: string, limits: Pick<BudgetPolicy, "limit_microcents" | "limit_tokens">): Promise<Budget>;
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
      // Plain JSON, if it is what its type says; that is what is checked.
      const problem = findBudgetProblem(limits as unknown as Json);
      if (problem !== undefined) throw invalidRequest(`A budget cannot be set so: ${problem}.`);
      const { limit_microcents, limit_tokens } = limits;
      const given = {
        ...(limit_microcents !== undefined && { limit_microcents }),
        ...(limit_tokens !== undefined && { limit_tokens }),
      };
      const { budget } = await budgets.change(tenant, await budgetOf(runId), { type: "set_limit", ...given });
      return budget;
    },
  };
}
