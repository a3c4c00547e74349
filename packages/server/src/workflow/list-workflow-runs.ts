import { MAX_LIMIT, type Page, type RunFilter, type RunRecord } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";

/**
 * A page of the runs of several workflows, newest first. The lists of the workflows are merged: as many records are read as come before the
 * end of the page, and one page more for each workflow.
 */
export async function listWorkflowRuns(
  runtime: Pick<TenantRuntime, "runs">,
  workflows: readonly string[],
  { offset = 0, limit = MAX_LIMIT, ...filter }: RunFilter,
): Promise<Page<RunRecord>> {
  const [only] = workflows;
  if (only !== undefined && workflows.length === 1) return runtime.runs({ ...filter, agentId: only, offset, limit });
  const end = offset + limit;
  const lists = await Promise.all(workflows.map((agentId) => openList(runtime, { ...filter, agentId }, end)));
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  const items: RunRecord[] = [];
  for (let position = 0; position < Math.min(end, total); position += 1) {
    const [newest] = lists.filter(({ head }) => head !== undefined).toSorted(byNewest);
    if (newest?.head === undefined) break;
    if (position >= offset) items.push(newest.head);
    await newest.advance();
  }
  return { items, total, has_more: offset + items.length < total };
}

interface OpenList {
  readonly total: number;
  /** The newest record that was not taken. */
  readonly head: RunRecord | undefined;
  advance(): Promise<void>;
}

async function openList(runtime: Pick<TenantRuntime, "runs">, filter: RunFilter, wanted: number): Promise<OpenList> {
  const read = (offset: number): Promise<Page<RunRecord>> =>
    runtime.runs({ ...filter, offset, limit: Math.min(Math.max(wanted - offset, 1), MAX_LIMIT) });
  let page = await read(0);
  let [start, at] = [0, 0];
  return {
    total: page.total,
    get head() {
      return page.items[at];
    },
    async advance() {
      at += 1;
      if (at < page.items.length || !page.has_more) return;
      start += page.items.length;
      at = 0;
      page = await read(start);
    },
  };
}

function byNewest({ head: one }: OpenList, { head: other }: OpenList): number {
  return (other?.created_at ?? 0) - (one?.created_at ?? 0) || (one?.run_id ?? "").localeCompare(other?.run_id ?? "");
}
