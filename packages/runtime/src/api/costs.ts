import { notFound, type RunRecord, type Spending, type TenantStore } from "@reprise/contracts";
import { addSpending, listAllRuns, NOTHING, spentInTree, sumUp } from "../run/spending.ts";

/** Reads costs from the records of runs. Each call counts anew. */
export interface Costs {
  ofRun(runId: string): Promise<Spending>;
  /** Every run there ever was on a thread. */
  ofThread(threadId: string): Promise<Spending>;
  /** A run with all that name it, or one below it, as the run they work for. */
  ofTree(runId: string): Promise<Spending>;
  /** A run with the runs that its tool calls started, and theirs. */
  ofRunsBelow(run: RunRecord): Promise<Spending>;
}

export function createCosts(store: TenantStore): Costs {
  return {
    ofRun: async (runId) => addSpending(NOTHING, await requireRun(store, runId)),
    async ofThread(threadId) {
      if ((await store.loadThread(threadId)) === undefined) throw notFound("THREAD_NOT_FOUND", "thread", threadId);
      return sumUp(await listAllRuns(store, { thread_id: threadId }));
    },
    async ofTree(runId) {
      const tree: RunRecord[] = [await requireRun(store, runId)];
      // Breadth first: each run is searched below in its turn. A run has one parent, so none comes twice.
      for (let next = 0; next < tree.length; next += 1) {
        const { run_id = "" } = tree[next] ?? {};
        tree.push(...(await listAllRuns(store, { parent_run_id: run_id })));
      }
      return sumUp(tree);
    },
    ofRunsBelow: (run) => spentInTree(store, run),
  };
}

async function requireRun(store: TenantStore, runId: string): Promise<RunRecord> {
  const run = await store.loadRun(runId);
  if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
  return run;
}
