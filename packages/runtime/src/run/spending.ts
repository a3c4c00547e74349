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

/** What a run took together with the runs that its tool calls started, and theirs. Those right below it may be known already. */
export async function spentInTree(store: TenantStore, run: RunRecord, known?: readonly RunRecord[]): Promise<Spending> {
  const tree = [run];
  for (const { run_id, has_children } of tree) {
    if (run_id === run.run_id) tree.push(...(known ?? (await runsBelow(store, run_id))));
    else if (has_children === true) tree.push(...(await runsBelow(store, run_id)));
  }
  return sumUp(tree);
}

/** The runs that the tool calls of a run started. */
export async function runsBelow(store: TenantStore, runId: string): Promise<readonly RunRecord[]> {
  const runs = await listAllRuns(store, { parent_run_id: runId });
  // A run that takes the place of another one names it too, and is none of those.
  return runs.filter(({ depth }) => depth !== undefined);
}

export async function listAllRuns(store: TenantStore, query: RunQuery): Promise<readonly RunRecord[]> {
  const all: RunRecord[] = [];
  for (;;) {
    const { items, has_more } = await store.listRuns({ ...query, offset: all.length, limit: PAGE });
    all.push(...items);
    if (!has_more) return all;
  }
}
