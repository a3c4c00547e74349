import {
  type Budget,
  type BudgetPolicy,
  invalidRequest,
  type OnExceeded,
  type RunRecord,
  type RunRequest,
  type Store,
} from "@reprise/contracts";
import type { AgentSource } from "../resolve/agents.ts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";
import type { StoreTime } from "../thread/store-time.ts";
import type { BudgetBook } from "./budget-book.ts";
import { cannotAllot } from "./budget-exceeded.ts";
import type { BudgetChange } from "./change-budget.ts";

/** From the strictest on. */
const EXCEEDED: readonly OnExceeded[] = ["fail", "pause", "warn"];
const UNPRICED: readonly NonNullable<BudgetPolicy["unpriced"]>[] = ["refuse", "warn"];

/** The budget that allows only what both allow: the smaller of two limits, and the stricter of two ways to enforce it. */
function strictestBudget(one: BudgetPolicy, other: BudgetPolicy): BudgetPolicy {
  const limit_microcents = smaller(one.limit_microcents, other.limit_microcents);
  const limit_tokens = smaller(one.limit_tokens, other.limit_tokens);
  const limit_tool_calls = smaller(one.limit_tool_calls, other.limit_tool_calls);
  const limit_ms = smaller(one.limit_ms, other.limit_ms);
  const warn_at_percent = smaller(one.warn_at_percent, other.warn_at_percent);
  return {
    ...(limit_microcents !== undefined && { limit_microcents }),
    ...(limit_tokens !== undefined && { limit_tokens }),
    ...(limit_tool_calls !== undefined && { limit_tool_calls }),
    ...(limit_ms !== undefined && { limit_ms }),
    on_exceeded: first(EXCEEDED, one.on_exceeded, other.on_exceeded),
    unpriced: first(UNPRICED, one.unpriced, other.unpriced),
    ...(warn_at_percent !== undefined && { warn_at_percent }),
  };
}

/** Whether a budget that stands allows no more than a policy does. */
function isWithin(budget: Budget, policy: BudgetPolicy): boolean {
  const { limit_microcents, limit_tokens, limit_tool_calls, on_exceeded, unpriced } = budget;
  const strictest = strictestBudget(policyOf(budget), policy);
  return (
    (strictest.limit_microcents ?? null) === limit_microcents &&
    (strictest.limit_tokens ?? null) === limit_tokens &&
    (strictest.limit_tool_calls ?? null) === limit_tool_calls &&
    strictest.on_exceeded === on_exceeded &&
    strictest.unpriced === unpriced
  );
}

/** The policy by which a budget stands now, whatever was spent of it. */
function policyOf({ limit_microcents, limit_tokens, limit_tool_calls, on_exceeded, unpriced }: Budget): BudgetPolicy {
  return {
    ...(limit_microcents !== null && { limit_microcents }),
    ...(limit_tokens !== null && { limit_tokens }),
    ...(limit_tool_calls !== null && { limit_tool_calls }),
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
  readonly budgets: Pick<BudgetBook, "load" | "change">;
  readonly time: Pick<StoreTime, "now">;
}

/** The caller, as far as budgets are concerned. */
export interface BudgetOptions {
  /** The agent's own budget counts whatever the request asks for: the smallest limit wins. */
  readonly capBudget?: boolean;
  /** The run above, where its record is at hand. */
  readonly above?: RunRecord;
}

/** The limits that a run shares with the runs above it. */
export type SharedLimits = Pick<RunRecord, "budget_id" | "allotment_id" | "counts_calls" | "deadline_at">;

/** The same, of a run whose limits hold for another one too. */
export function sharedLimits({ budget_id, allotment_id, counts_calls, deadline_at }: SharedLimits): SharedLimits {
  return {
    ...(budget_id !== undefined && { budget_id }),
    ...(allotment_id !== undefined && { allotment_id }),
    ...(counts_calls === true && { counts_calls }),
    ...(deadline_at !== undefined && { deadline_at }),
  };
}

/**
 * Says under which limits a request will run: those of the run above it with a part of that run's budget, a budget of its own, or its agent's.
 * Done when the request is accepted, so that nothing that happens later, to the agent or to the run above, changes it. A part of a budget is
 * set aside here, before the run is accepted: `BUDGET_EXCEEDED` when too little is left.
 */
export async function withBudget(
  services: BudgetSources,
  tenant: string,
  request: RunRequest,
  { capBudget = false, above: parent }: BudgetOptions,
): Promise<RunRequest> {
  const {
    budget_id: _budget,
    allotment_id: _allotment,
    counts_calls: _counts,
    deadline_at: _deadline,
    ...own
  } = request;
  const { parent_run_id, run_id, policy } = own;
  const agents = lookUpEntry(services.agents.registries, request.agent_id).spec.budget;
  const cap = capBudget ? agents : undefined;
  const above = parent === undefined ? await limitsAbove(services, tenant, parent_run_id) : sharedLimits(parent);
  const shared = above.budget_id;
  const until = (limitMs: number | undefined): Pick<SharedLimits, "deadline_at"> => {
    const ends = smaller(above.deadline_at, limitMs === undefined ? undefined : services.time.now() + limitMs);
    return ends === undefined ? {} : { deadline_at: ends };
  };
  if (shared !== undefined && parent_run_id !== undefined && policy?.budget !== undefined) {
    assertOnlyLimits(parent_run_id, policy.budget);
    const limits = cap === undefined ? policy.budget : strictestBudget(policy.budget, cap);
    const inherited = { ...own, policy: { ...policy, budget: limits }, ...above, ...until(limits.limit_ms) };
    if (!countsAnything(limits) || run_id === undefined) return inherited;
    await allot(services, tenant, { run_id, given_by: parent_run_id, above: above.allotment_id, limits }, shared);
    return { ...inherited, allotment_id: run_id, ...(limits.limit_tool_calls !== undefined && { counts_calls: true }) };
  }
  const stands = shared === undefined || cap === undefined ? undefined : await services.budgets.load(tenant, shared);
  if (shared !== undefined && (cap === undefined || (stands !== undefined && isWithin(stands, cap)))) {
    return { ...own, ...above, ...until(cap?.limit_ms) };
  }
  const asked = stands === undefined ? (policy?.budget ?? agents) : policyOf(stands);
  const budget = asked === undefined || cap === undefined ? asked : strictestBudget(asked, cap);
  if (budget === undefined || run_id === undefined) return { ...own, ...until(undefined) };
  return {
    ...own,
    policy: { ...policy, budget },
    ...until(budget.limit_ms),
    ...(countsAnything(budget) && { budget_id: run_id }),
    ...(budget.limit_tool_calls !== undefined && { counts_calls: true }),
  };
}

/** Whether a budget has more than a limit of time, which needs no book. */
function countsAnything({ limit_microcents, limit_tokens, limit_tool_calls }: BudgetPolicy): boolean {
  return limit_microcents !== undefined || limit_tokens !== undefined || limit_tool_calls !== undefined;
}

/** A part of a budget only limits: how it is enforced is said once, by the whole. */
function assertOnlyLimits(parentRunId: string, { on_exceeded, unpriced, warn_at_percent }: BudgetPolicy): void {
  const isPlain =
    (on_exceeded ?? "fail") === "fail" && (unpriced ?? "refuse") === "refuse" && warn_at_percent === undefined;
  if (isPlain) return;
  throw invalidRequest(
    `Run ${parentRunId} shares its budget with its child runs, so the budget of a child run can only have limits. Leave out on_exceeded, unpriced and warn_at_percent.`,
  );
}

async function allot(
  { budgets }: BudgetSources,
  tenant: string,
  {
    above,
    limits,
    ...whose
  }: Omit<Extract<BudgetChange, { type: "allot" }>, "type" | "above"> & {
    readonly above: string | undefined;
  },
  budgetId: string,
): Promise<void> {
  const change = { type: "allot", ...whose, limits, ...(above !== undefined && { above }) } as const;
  const { isRefused, budget } = await budgets.change(tenant, budgetId, change);
  if (isRefused) throw cannotAllot(budget, above, limits);
}

/** The limits of a run, also of one that has not begun yet. */
async function limitsAbove({ store }: BudgetSources, tenant: string, runId: string | undefined): Promise<SharedLimits> {
  if (runId === undefined) return {};
  const reader = store.forTenant(tenant);
  const run = await reader.loadRun(runId);
  if (run !== undefined) return sharedLimits(run);
  const { items } = await reader.listEntries({ run_id: runId });
  return sharedLimits(items.find(({ kind }) => kind === "run")?.request ?? {});
}
