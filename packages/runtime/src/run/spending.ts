import type { RunQuery, RunRecord, Spending, TenantStore } from "@reprise/contracts";

export const NOTHING: Spending = { cost_microcents: 0, input_tokens: 0, output_tokens: 0, runs: 0, priced: true };
const PAGE = 200;

/** Adds up what runs took. */
export function sumUp(runs: readonly RunRecord[]): Spending {
  return runs.reduce(addSpending, NOTHING);
}

export function addSpending(sum: Spending, run: RunRecord): Spending {
  return {
    cost_microcents: sum.cost_microcents + (run.cost_microcents ?? 0),
    input_tokens: sum.input_tokens + run.input_tokens,
    output_tokens: sum.output_tokens + run.output_tokens,
    runs: sum.runs + 1,
    priced: sum.priced && run.is_unpriced !== true,
  };
}

/** What a run took together with the runs that its tool calls started, and theirs. */
export async function spentInTree(store: TenantStore, run: RunRecord): Promise<Spending> {
  const tree = [run];
  for (const { run_id, has_children } of tree) {
    if (has_children !== true && run_id !== run.run_id) continue;
    const children = await listAllRuns(store, { parent_run_id: run_id });
    // A run that takes the place of another one names it too, and is none of those.
    tree.push(...children.filter(({ depth }) => depth !== undefined));
  }
  return sumUp(tree);
}

export async function listAllRuns(store: TenantStore, query: RunQuery): Promise<readonly RunRecord[]> {
  const all: RunRecord[] = [];
  for (;;) {
    const { items, has_more } = await store.listRuns({ ...query, offset: all.length, limit: PAGE });
    all.push(...items);
    if (!has_more) return all;
  }
}
