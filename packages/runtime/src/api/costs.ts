import { notFound, type RunQuery, type RunRecord, type TenantStore } from "@reprise/contracts";

/** The cost and tokens of runs, added up. */
export interface Spending {
  readonly cost_microcents: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly runs: number;
  /** False when a model without a known price was used: then the actual cost is higher. */
  readonly priced: boolean;
}

/** Reads costs from the records of runs. Each call counts anew. */
export interface Costs {
  ofRun(runId: string): Promise<Spending>;
  /** Every run there ever was on a thread. */
  ofThread(threadId: string): Promise<Spending>;
  /** A run with all that name it, or one below it, as the run they work for. */
  ofTree(runId: string): Promise<Spending>;
}

export function createCosts(store: TenantStore): Costs {
  return {
    ofRun: async (runId) => add(NOTHING, await requireRun(store, runId)),
    async ofThread(threadId) {
      if ((await store.loadThread(threadId)) === undefined) throw notFound("THREAD_NOT_FOUND", "thread", threadId);
      return sumUp(await listAll(store, { thread_id: threadId }));
    },
    async ofTree(runId) {
      const tree: RunRecord[] = [await requireRun(store, runId)];
      // Breadth first: each run is searched below in its turn. A run has one parent, so none comes twice.
      for (let next = 0; next < tree.length; next += 1) {
        const { run_id = "" } = tree[next] ?? {};
        tree.push(...(await listAll(store, { parent_run_id: run_id })));
      }
      return sumUp(tree);
    },
  };
}

const NOTHING: Spending = { cost_microcents: 0, input_tokens: 0, output_tokens: 0, runs: 0, priced: true };
const PAGE = 200;

function sumUp(runs: readonly RunRecord[]): Spending {
  return runs.reduce(add, NOTHING);
}

function add(sum: Spending, run: RunRecord): Spending {
  return {
    cost_microcents: sum.cost_microcents + (run.cost_microcents ?? 0),
    input_tokens: sum.input_tokens + run.input_tokens,
    output_tokens: sum.output_tokens + run.output_tokens,
    runs: sum.runs + 1,
    priced: sum.priced && run.is_unpriced !== true,
  };
}

async function requireRun(store: TenantStore, runId: string): Promise<RunRecord> {
  const run = await store.loadRun(runId);
  if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
  return run;
}

async function listAll(store: TenantStore, query: RunQuery): Promise<readonly RunRecord[]> {
  const all: RunRecord[] = [];
  for (;;) {
    const { items, has_more } = await store.listRuns({ ...query, offset: all.length, limit: PAGE });
    all.push(...items);
    if (!has_more) return all;
  }
}
