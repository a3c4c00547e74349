import { MAX_LIMIT, type RunRecord } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";

/** The runs below a run, of all levels, each behind the one that started it. */
export async function listBelow(runtime: Pick<TenantRuntime, "runs">, run: RunRecord): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = [];
  const parents = [run];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    if (parent.has_children !== true) continue;
    for (let offset = 0; ; offset += MAX_LIMIT) {
      const page = await runtime.runs({ parentRunId: parent.run_id, offset, limit: MAX_LIMIT });
      // Whatever another request says is its parent: only a call starts a run below.
      const started = page.items.filter(({ parent_call_id }) => parent_call_id !== undefined);
      found.push(...started);
      parents.push(...started);
      if (!page.has_more) break;
    }
  }
  return found;
}

/** How far a run and the runs below it are stored: the position of the last event of each, by their ids. */
export async function positionsOf(
  runtime: Pick<TenantRuntime, "runs">,
  run: RunRecord,
): Promise<ReadonlyMap<string, number>> {
  const tree = [run, ...(await listBelow(runtime, run))];
  return new Map(tree.filter(({ last_seq }) => last_seq > 0).map(({ run_id, last_seq }) => [run_id, last_seq]));
}
