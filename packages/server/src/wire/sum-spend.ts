import { type Budget, MAX_LIMIT, RepriseError, type RunRecord, type Spending } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";

/** So many runs are read at most: the newest ones. */
const MAX_RUNS = 10_000;
const MAX_THREADS = 50;
const MAX_BUDGETS = 50;

interface Asked {
  readonly from: number;
  readonly to: number;
  /** How many parts the time is cut into. */
  readonly buckets: number;
}

interface BudgetOfRun extends Pick<RunRecord, "run_id" | "thread_id" | "agent_id" | "status"> {
  readonly budget: Budget;
}

/** What the runs that began in a time took. Runs below others count for themselves, so nothing is counted twice. */
export async function sumSpend(runtime: Pick<TenantRuntime, "runs" | "budgets">, asked: Asked): Promise<object> {
  const { from, to, buckets } = asked;
  const [total, agents, threads] = [new Sum(), new Map<string, Sum>(), new Map<string, Sum>()];
  const size = (to - from) / buckets;
  const parts = Array.from({ length: buckets }, () => new Sum());
  const budgeted: RunRecord[] = [];
  let [read, isPartial] = [0, false];
  for (;;) {
    const page = await runtime.runs({ createdAtFrom: from, createdAtTo: to, offset: read, limit: MAX_LIMIT });
    for (const run of page.items) {
      const { agent_id, thread_id, created_at, budget_id, run_id } = run;
      const part = parts[Math.min(Math.floor((created_at - from) / size), buckets - 1)];
      for (const sum of [total, sumOf(agents, agent_id), sumOf(threads, thread_id), part]) sum?.add(run);
      if (budget_id === run_id && budgeted.length < MAX_BUDGETS) budgeted.push(run);
    }
    read += page.items.length;
    isPartial = page.has_more && read >= MAX_RUNS;
    if (!page.has_more || isPartial || page.items.length === 0) break;
  }
  const budgets = await Promise.all(budgeted.map((run) => budgetOf(runtime, run)));
  return {
    from,
    to,
    total: total.value,
    is_partial: isPartial,
    by_agent: [...agents].map(([agent_id, { value }]) => ({ agent_id, ...value })).toSorted(byCost),
    by_thread: [...threads]
      .map(([thread_id, { value }]) => ({ thread_id, ...value }))
      .toSorted(byCost)
      .slice(0, MAX_THREADS),
    over_time: parts.map(({ value }, index) => ({ at: Math.round(from + index * size), ...value })),
    budgets: budgets.flatMap((budget) => budget ?? []),
  };
}

/** What runs took, while it is added up. */
class Sum {
  #value: Spending = { cost_microcents: 0, input_tokens: 0, output_tokens: 0, runs: 0, priced: true };

  get value(): Spending {
    return this.#value;
  }

  add({ cost_microcents = 0, input_tokens, output_tokens, is_unpriced }: RunRecord): void {
    const before = this.#value;
    this.#value = {
      cost_microcents: before.cost_microcents + cost_microcents,
      input_tokens: before.input_tokens + input_tokens,
      output_tokens: before.output_tokens + output_tokens,
      runs: before.runs + 1,
      priced: before.priced && is_unpriced !== true,
    };
  }
}

function sumOf(sums: Map<string, Sum>, key: string): Sum {
  const known = sums.get(key) ?? new Sum();
  sums.set(key, known);
  return known;
}

/** Dearest first; of those that cost the same, as where models have no price, the one with more tokens. */
function byCost(one: Spending, other: Spending): number {
  const tokens = (spent: Spending): number => spent.input_tokens + spent.output_tokens;
  return other.cost_microcents - one.cost_microcents || tokens(other) - tokens(one);
}

async function budgetOf(
  { budgets }: Pick<TenantRuntime, "budgets">,
  { run_id, thread_id, agent_id, status }: RunRecord,
): Promise<BudgetOfRun | undefined> {
  try {
    return { run_id, thread_id, agent_id, status, budget: await budgets.get(run_id) };
  } catch (error) {
    // It was pruned, or its thread was deleted meanwhile.
    if (RepriseError.is(error, "BUDGET_NOT_FOUND") || RepriseError.is(error, "RUN_NOT_FOUND")) return undefined;
    throw error;
  }
}
