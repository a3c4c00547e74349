import {
  type Budget,
  type BudgetPolicy,
  invalidRequest,
  type OnExceeded,
  type RunRequest,
  type Store,
} from "@reprise/contracts";
import type { AgentSource } from "../resolve/agents.ts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";
import type { BudgetBook } from "./budget-book.ts";

/** From the strictest on. */
const EXCEEDED: readonly OnExceeded[] = ["fail", "pause", "warn"];
const UNPRICED: readonly NonNullable<BudgetPolicy["unpriced"]>[] = ["refuse", "warn"];

/** The budget that allows only what both allow: the smaller of two limits, and the stricter of two ways to enforce it. */
function strictestBudget(one: BudgetPolicy, other: BudgetPolicy): BudgetPolicy {
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
function isWithin(budget: Budget, policy: BudgetPolicy): boolean {
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
function policyOf({ limit_microcents, limit_tokens, on_exceeded, unpriced }: Budget): BudgetPolicy {
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

/** Where budgets come from: agents, runs above, and the book. */
export interface BudgetSources {
  readonly store: Store;
  readonly agents: Pick<AgentSource, "registries">;
  readonly budgets: Pick<BudgetBook, "load">;
}

/** The caller, as far as budgets are concerned. */
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
    throw invalidRequest(
      `Run ${parent_run_id} shares its budget with its child runs, so a child run cannot have a budget of its own.`,
    );
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
