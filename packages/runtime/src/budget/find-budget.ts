import { invalidRequest, type RunRequest, type Store } from "@reprise/contracts";
import type { AgentSource } from "../resolve/agents.ts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";
import type { BudgetBook } from "./budget-book.ts";
import { isWithin, policyOf, strictestBudget } from "./strictest-budget.ts";

/** Where budgets come from: agents, runs above, and the book. */
export interface BudgetSources {
  readonly store: Store;
  readonly agents: Pick<AgentSource, "registries">;
  readonly budgets: Pick<BudgetBook, "load">;
}

/** Who asks, as far as budgets are concerned. */
export interface BudgetOptions {
  /** The agent's own budget counts whatever the request asks for: the smallest limit wins. */
  readonly capBudget?: boolean;
}

/**
 * Says under which budget a request will run: that of the run above it, one of its own, or its agent's. Done when the request is
 * accepted, so that nothing that happens later, to the agent or to the run above, changes it.
 */
export async function withBudget(
  services: BudgetSources,
  tenant: string,
  request: RunRequest,
  { capBudget = false }: BudgetOptions,
): Promise<RunRequest> {
  const { budget_id: _claimed, ...own } = request;
  const { parent_run_id, run_id, policy } = own;
  const agents = lookUpEntry(services.agents.registries, request.agent_id).spec.budget;
  const cap = capBudget ? agents : undefined;
  const shared = parent_run_id === undefined ? undefined : await budgetAbove(services, tenant, parent_run_id);
  if (shared !== undefined && policy?.budget !== undefined) {
    throw invalidRequest(`Run ${parent_run_id} shares its budget with the runs below it; they have none of their own.`);
  }
  const above = shared === undefined || cap === undefined ? undefined : await services.budgets.load(tenant, shared);
  if (shared !== undefined && (cap === undefined || (above !== undefined && isWithin(above, cap)))) {
    return { ...own, budget_id: shared };
  }
  const asked = above === undefined ? (policy?.budget ?? agents) : policyOf(above);
  const budget = asked === undefined || cap === undefined ? asked : strictestBudget(asked, cap);
  if (budget === undefined || run_id === undefined) return own;
  return { ...own, policy: { ...policy, budget }, budget_id: run_id };
}

/** The budget of a run, also of one that has not begun yet. */
async function budgetAbove({ store }: BudgetSources, tenant: string, runId: string): Promise<string | undefined> {
  const reader = store.forTenant(tenant);
  const run = await reader.loadRun(runId);
  if (run !== undefined) return run.budget_id;
  const { items } = await reader.listEntries({ run_id: runId });
  return items.find(({ kind }) => kind === "run")?.request?.budget_id;
}
